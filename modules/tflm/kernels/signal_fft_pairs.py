# Vectors of complex numbers for FFTs: float32, or int32 with 31 fractional bits
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words, steps and the kinds ADD and SUB are explained in float32.py. A number is two
# words; kinds with bit 3 set are for int32.

from .fixed31 import combine31
from .float32 import combine

_MAC = const(0)
_MUL = const(1)
_DOT = const(4)
_HALVE = const(5)
_INT32 = const(8)
_WORD = const(16)  # added to an operand word to get the next word


# dst = a + b or a - b.
@micropython.viper
def combine_pairs(arena, rom, dst: int, a: int, b: int, n, steps, kind: int):
    if kind & _INT32:
        kind = kind & 7
        combine31(arena, rom, dst, a, b, n, steps, kind)
        combine31(arena, rom, dst + _WORD, a + _WORD, b + _WORD, n, steps, kind)
    else:
        combine(arena, rom, dst, a, b, n, steps, kind)
        combine(arena, rom, dst + _WORD, a + _WORD, b + _WORD, n, steps, kind)


# dst = a * b; b has four words for each number: (r, -i, i, r). dst is not a.
@micropython.viper
def multiply_pairs(arena, rom, dst: int, a: int, b: int, n, steps, kind: int):
    if kind & _INT32:
        combine31(arena, rom, dst, a, b, n, steps, _DOT)
        combine31(arena, rom, dst + _WORD, a, b + 2 * _WORD, n, steps, _DOT)
    else:
        combine(arena, rom, dst, a, b, n, steps, _MUL)
        combine(arena, rom, dst, a + _WORD, b + _WORD, n, steps, _MAC)
        combine(arena, rom, dst + _WORD, a, b + 2 * _WORD, n, steps, _MUL)
        combine(arena, rom, dst + _WORD, a + _WORD, b + 3 * _WORD, n, steps, _MAC)


# dst = a times the real factor in words (factor, 0, factor), int32 only; dst may be a.
@micropython.viper
def scale_pairs(arena, rom, dst: int, a: int, factor: int, n, steps):
    combine31(arena, rom, dst, a, factor, n, steps, _DOT)
    combine31(arena, rom, dst + _WORD, a, factor + _WORD, n, steps, _DOT)


# dst = a times the real factor in words (factor, 0, factor); dst may be a.
@micropython.viper
def times_pairs(arena, rom, dst: int, a: int, factor: int, n, steps, kind: int):
    if kind & _INT32:
        scale_pairs(arena, rom, dst, a, factor, n, steps)
    else:
        combine(arena, rom, dst, a, factor, n, steps, _MUL)
        combine(arena, rom, dst + _WORD, a + _WORD, factor, n, steps, _MUL)


# dst = dst / 2, by the float32 0.5 at `half`.
@micropython.viper
def halve_pairs(arena, rom, dst: int, half, n, step: int, kind: int):
    steps = step | step << 10
    if kind & _INT32:
        combine31(arena, rom, dst, dst, dst, n, steps, _HALVE)
        combine31(arena, rom, dst + _WORD, dst + _WORD, dst, n, steps, _HALVE)
    else:
        combine(arena, rom, dst, dst, half, n, steps, _MUL)
        combine(arena, rom, dst + _WORD, dst + _WORD, half, n, steps, _MUL)


# dst[i] = a[-i], or its conjugate unless `plain`.
@micropython.viper
def mirror_pairs(arena, rom, dst: int, a: int, n: int, plain: int, kind: int):
    p_dst = ptr32(int(ptr8(arena)) + (dst >> 2))
    p_a = ptr32((int(ptr8(rom)) if a & 1 else int(ptr8(arena))) + (a >> 2))
    top = 1
    top = top << 31
    while n:
        p_dst[0] = p_a[0]
        if plain:
            p_dst[1] = p_a[1]
        elif kind & _INT32:
            p_dst[1] = 0 - p_a[1]
        else:
            p_dst[1] = p_a[1] ^ top
        p_dst = ptr32(int(p_dst) + 8)
        p_a = ptr32(int(p_a) - 8)
        n -= 1


# dst[indices[i]] = a[i] or, with `back`, dst[indices[-i]] = the conjugate of a[i]. `indices` are
# uint16; dst and a are in the arena.
@micropython.viper
def scatter_pairs(arena, rom, dst: int, a: int, indices: int, n: int, back: int, kind: int):
    base = int(ptr8(arena))
    p_a = ptr32(base + (a >> 2))
    p_places = ptr16((int(ptr8(rom)) if indices & 1 else base) + (indices >> 2))
    top = 1
    top = top << 31
    while n:
        p_dst = ptr32(base + (dst >> 2) + p_places[0] * 8)
        p_dst[0] = p_a[0]
        if not back:
            p_dst[1] = p_a[1]
            p_places = ptr16(int(p_places) + 2)
        else:
            if kind & _INT32:
                p_dst[1] = 0 - p_a[1]
            else:
                p_dst[1] = p_a[1] ^ top
            p_places = ptr16(int(p_places) - 2)
        p_a = ptr32(int(p_a) + 8)
        n -= 1
