# tflm: LEAKY_RELU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float; units independent

from .float32 import combine
from .float32_copy import copy
from .float32_select import prelu

_INPUT = const(1)
_OUTPUT = const(2)
_ALPHA = const(3)

# Operations of float32.combine.
_MUL = const(1)
_BY_SCALAR = const(1 | 1 << 10)


# Units are elements. Positive values are copied; the other values, including NaNs, are multiplied
# by alpha. alpha is in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    infinity = 255
    infinity = infinity << 23
    a = r[_INPUT] + (start << 4)
    dst = r[_OUTPUT] + (start << 4)
    n = stop - start
    v = r[_ALPHA]
    # Zeros times such an alpha are the same zeros.
    if not a & 1 and not v >> 31 & 1 and v < infinity:
        prelu(arena, op, dst, a, _ALPHA << 4 | 1, n, _BY_SCALAR)
        return
    copy(arena, rom, dst, a, n, 1)
    y = ptr32(int(ptr8(arena)) + (dst >> 2))
    while n:
        v = y[0]
        if v >> 31 & 1 or not v or v > infinity:
            combine(arena, op, dst, dst, _ALPHA << 4 | 1, 1, _BY_SCALAR, _MUL)
        y = ptr32(int(y) + 4)
        dst += 16
        n -= 1
