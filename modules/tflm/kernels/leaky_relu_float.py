# tflm: LEAKY_RELU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float; units independent

from .float32 import combine

_INPUT = const(1)
_OUTPUT = const(2)
_ALPHA = const(3)

# Operations of float32.combine.
_MUL = const(1)
_BY_SCALAR = const(1 | 1 << 10)


# Units are elements. Positive values are copied; the other values, including NaNs, are multiplied
# by alpha. For the product, positive values are replaced by 0, which is the fastest factor. alpha
# is in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_INPUT]
    first = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2) + (start << 2)
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    dst = r[_OUTPUT] + (start << 4)
    x = ptr32(first)
    y = ptr32(int(ptr8(arena)) + (dst >> 2))
    n = stop - start
    while n:
        v = x[0]
        y[0] = 0 if not v >> 31 & 1 and v <= infinity else v
        x = ptr32(int(x) + 4)
        y = ptr32(int(y) + 4)
        n -= 1
    combine(arena, op, dst, dst, _ALPHA << 4 | 1, stop - start, _BY_SCALAR, _MUL)
    x = ptr32(first)
    y = ptr32(int(ptr8(arena)) + (dst >> 2))
    n = stop - start
    while n:
        v = x[0]
        if not v >> 31 & 1 and 0 < v <= infinity:
            y[0] = v
        x = ptr32(int(x) + 4)
        y = ptr32(int(y) + 4)
        n -= 1
