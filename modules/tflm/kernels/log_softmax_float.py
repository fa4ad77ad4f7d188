# tflm: LOG_SOFTMAX, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check softmax; order place

from .float32 import combine
from .float32_copy import copy
from .float32_log import log
from .float32_math import exp
from .float32_select import maximum

_INPUT = const(1)
_OUTPUT = const(2)
_SCALARS = const(3)  # scratch: a row's largest value; its sum, then the logarithm of the sum
_DEPTH = const(4)
_LOWEST = const(5)  # float32 numbers
_ZERO = const(6)

# Operations of float32.combine.
_ADD = const(2)
_SUB = const(3)
_BY_SCALAR = const(1 | 1 << 10)
_MAXIMUM = const(1 << 10)


# Units are rows. The steps are the same as in TFLM: the largest value, x - largest, its exp, the
# logarithm of the sum of the exps in order, x - largest - logarithm. Each exp is stored where the
# largest value was, so that the output may overlap the input. The numbers are in the record, which
# is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    largest = r[_SCALARS]
    total = largest + 16
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        dst = r[_OUTPUT] + (start * depth << 4)
        copy(arena, op, largest, _LOWEST << 4 | 1, 1, 0)
        maximum(arena, rom, largest, source, largest, depth, _MAXIMUM)
        combine(arena, rom, dst, source, largest, depth, _BY_SCALAR, _SUB)
        copy(arena, op, total, _ZERO << 4 | 1, 1, 0)
        i = 0
        while i < depth:
            exp(arena, rom, largest, dst + (i << 4), 1)
            combine(arena, rom, total, total, largest, 1, 0, _ADD)
            i += 1
        log(arena, rom, total, total, 1)
        combine(arena, rom, dst, dst, total, depth, _BY_SCALAR, _SUB)
        start += 1
