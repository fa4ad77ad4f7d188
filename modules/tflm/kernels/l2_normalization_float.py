# tflm: L2_NORMALIZATION, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check softmax; order place

from .float32 import combine
from .float32_copy import copy
from .float32_divide import div
from .float32_select import maximum
from .float32_sqrt import sqrt

_INPUT = const(1)
_OUTPUT = const(2)
_NORM = const(3)  # scratch: one float32
_DEPTH = const(4)
_ZERO = const(5)  # float32 numbers
_EPSILON = const(6)

# Operations of float32.combine.
_MAC = const(0)
_SUM = const(1 << 10 | 1 << 20)
_BY_SCALAR = const(1 | 1 << 10)


# Units are rows. The numbers are in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    norm = r[_NORM]
    while start < stop:
        a = r[_INPUT] + (start * depth << 4)
        copy(arena, op, norm, _ZERO << 4 | 1, 1, 0)
        combine(arena, rom, norm, a, a, depth, _SUM, _MAC)
        sqrt(arena, rom, norm, norm, 1)
        maximum(arena, op, norm, _EPSILON << 4 | 1, norm, 1, 0)
        div(arena, rom, r[_OUTPUT] + (start * depth << 4), a, norm, depth, _BY_SCALAR)
        start += 1
