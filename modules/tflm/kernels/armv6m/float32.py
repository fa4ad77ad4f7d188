# tflm: products and sums of float32 (kernels/float32.py): for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32 import combine as combine_any
from .gen.float_combine_asm import combine_words

# Arguments of combine: all steps are 0 or 1; a dot product onto dst.
_UNIT_STEPS = const(1 | 1 << 10 | 1 << 20)
_DOT = const(1 << 10 | 1 << 20)
_MAC = const(0)


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


# dst[i] = the dot product of a and the i-th row of b, for `count` rows of n elements.
@micropython.viper
def dots(arena, rom, dst: int, a: int, b: int, n: int, count: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    to = ptr32(base + (dst >> 2))
    p_a = base + (a >> 2) + gap * (a & 1)
    p_b = base + (b >> 2) + gap * (b & 1)
    done = 1
    if (int(to) | p_a | p_b) >> 30 or n >> 20:
        done = 0
    while count:
        to[0] = 0
        if not (done and n and int(combine_words(int(to), p_a, p_b, n | 6 << 22))):
            combine_any(arena, rom, dst, a, b, n, _DOT, _MAC)
        to = ptr32(int(to) + 4)
        p_b += n << 2
        dst += 16
        b += n << 4
        count -= 1
