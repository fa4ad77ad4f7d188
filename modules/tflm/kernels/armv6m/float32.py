# tflm: products and sums of float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors
#
# The portable function computes elements with numbers that the assembler leaves.

from .gen.float32_asm import combine_words

FUNCTIONS = ("mac", "mac_each", "add", "sub", "mul", "combine", "dots")
portable_combine = None

_MAC = const(0)
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)

# Steps of 0 or 1; a dot product onto dst.
_UNIT_STEPS = const(1 | 1 << 10 | 1 << 20)
_DOT = const(1 << 10 | 1 << 20)

_MOST_ROWS = const(31)  # of a call


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


# Elements whose steps are larger than 1 are computed one by one.
@micropython.viper
def combine(arena, rom, dst: int, a: int, b: int, n: int, steps: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    to = base + (dst >> 2)
    p_a = base + (a >> 2) + gap * (a & 1)
    p_b = base + (b >> 2) + gap * (b & 1)
    if (to | p_a | p_b) >> 30 or n >> 20:  # no small integers, or too many elements
        portable_combine(arena, rom, dst, a, b, n, steps, kind)
        return
    if steps == _DOT and kind == _MAC:
        if n and not int(combine_words(to, p_a, p_b, n | 6 << 22)):
            portable_combine(arena, rom, dst, a, b, n, steps, kind)
        return
    step_dst = steps & 0x3FF
    step_a = steps >> 10 & 0x3FF
    step_b = steps >> 20 & 0x3FF
    flags = kind << 20
    at_once = 1
    if steps | _UNIT_STEPS == _UNIT_STEPS:
        flags |= step_dst << 22 | step_a << 23 | step_b << 24
        at_once = n
    while n:
        if at_once > n:
            at_once = n
        done = int(combine_words(to, p_a, p_b, flags | at_once))
        if done < at_once:
            at = done << 4
            portable_combine(
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
    y = ptr32(base + (target >> 2))
    p_vector = base + (vector >> 2) + gap * (vector & 1)
    row = first * depth
    p_row = base + (weights >> 2) + gap * (weights & 1) + 4 * row
    fits = 1
    if (int(y) | p_vector | p_row) >> 30 or depth >> 20:
        fits = 0
    while count:
        rows = count if count < _MOST_ROWS else _MOST_ROWS
        done = 0
        if fits:
            done = int(combine_words(int(y), p_vector, p_row, depth | 1 << 22 | rows << 25))
            y = ptr32(int(y) + 4 * done)
        if done < rows:
            y[0] = 0
            at = int(y) - base << 2
            b = weights + (row + done * depth << 4)
            portable_combine(arena, rom, at, vector, b, depth, _DOT, _MAC)
            y = ptr32(int(y) + 4)
            done += 1
        count -= done
        row += done * depth
        p_row += 4 * done * depth
