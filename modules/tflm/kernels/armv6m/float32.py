# tflm: products and sums of float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors
#
# Replaces: float32_dots

from ..float32 import combine as combine_any
from ..float32 import store_rounded  # noqa: F401
from .gen.float_combine_asm import combine_words

_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)

# Arguments of combine: all steps are 0 or 1; a dot product onto dst.
_UNIT_STEPS = const(1 | 1 << 10 | 1 << 20)
_DOT = const(1 << 10 | 1 << 20)


@micropython.viper
def mac(arena, rom, dst, a, b, n):
    combine(arena, rom, dst, a, b, n, _DOT, _MAC)


@micropython.viper
def mac_each(arena, rom, dst, a, b, n, a_step: int):
    combine(arena, rom, dst, a, b, n, 1 | a_step << 10 | 1 << 20, _MAC)


@micropython.viper
def add(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _ADD)


@micropython.viper
def sub(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _SUB)


@micropython.viper
def mul(arena, rom, dst, a, b, n, steps):
    combine(arena, rom, dst, a, b, n, steps, _MUL)


# The portable function computes elements with numbers that the assembler leaves, and operands at
# addresses that are no small integers.
@micropython.viper
def combine(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    to = base + (dst >> 2)
    p_a = base + (a >> 2) + gap * (a & 1)
    p_b = base + (b >> 2) + gap * (b & 1)
    last = (to | p_a | p_b) >> 30
    if last or n >> 20 or steps | _UNIT_STEPS != _UNIT_STEPS:
        combine_any(arena, rom, dst, a, b, n, steps, kind)
        return
    if steps == _DOT and kind == _MAC:
        if n and not int(combine_words(to, p_a, p_b, n | 6 << 22)):
            combine_any(arena, rom, dst, a, b, n, steps, kind)
        return
    step_dst = steps & 1
    step_a = steps >> 10 & 1
    step_b = steps >> 20
    flags = kind << 20 | step_dst << 22 | step_a << 23 | step_b << 24
    while n:
        done = int(combine_words(to, p_a, p_b, flags | n))
        if done < n:
            at = done << 4
            combine_any(
                arena, rom, dst + step_dst * at, a + step_a * at, b + step_b * at, 1, steps, kind
            )
            done += 1
        n -= done
        at = done << 4
        dst += step_dst * at
        a += step_a * at
        b += step_b * at
        at = done << 2
        to += step_dst * at
        p_a += step_a * at
        p_b += step_b * at


# target = rows first .. first + count - 1 of a matrix, times a vector.
@micropython.viper
def dots(arena, rom, target: int, weights: int, vector: int, depth: int, first: int, count: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    weights += first * depth << 4
    to = ptr32(base + (target >> 2))
    p_vector = base + (vector >> 2) + gap * (vector & 1)
    p_row = base + (weights >> 2) + gap * (weights & 1)
    fits = 1
    if (int(to) | p_vector | p_row) >> 30 or depth >> 20:
        fits = 0
    while count:
        to[0] = 0
        if not (fits and depth and int(combine_words(int(to), p_vector, p_row, depth | 6 << 22))):
            combine_any(arena, rom, target, vector, weights, depth, _DOT, _MAC)
        to = ptr32(int(to) + 4)
        p_row += depth << 2
        target += 16
        weights += depth << 4
        count -= 1
