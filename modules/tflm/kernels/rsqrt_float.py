# tflm: RSQRT, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check unary_float

from .float32_divide import div
from .float32_sqrt import sqrt

_INPUT = const(1)
_OUTPUT = const(2)
_ONE = const(3)  # a float32

_FROM_SCALAR = const(1 | 1 << 20)


# Units are elements. The root is rounded, then 1.0 divided by it, as in TFLM. The number 1.0 is in
# the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    n = stop - start
    dst = r[_OUTPUT] + (start << 4)
    sqrt(arena, rom, dst, r[_INPUT] + (start << 4), n)
    div(arena, op, dst, _ONE << 4 | 1, dst, n, _FROM_SCALAR)
