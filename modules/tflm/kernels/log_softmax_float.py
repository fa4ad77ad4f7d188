# tflm: LOG_SOFTMAX, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package more; check softmax; order place

from .float32 import combine
from .float32_log import log
from .float32_math import exp
from .float32_select import maximum

_INPUT = const(1)
_OUTPUT = const(2)
_SCALARS = const(3)  # scratch: a row's largest value; its sum, then its logarithm; _BLOCK exps
_DEPTH = const(4)
_LOWEST = const(5)  # float32

_BLOCK = const(32)

# Operations of float32.combine.
_ADD = const(2)
_SUB = const(3)
_BY_SCALAR = const(1 | 1 << 10)
_MAXIMUM = const(1 << 10)
_SUM = const(1 << 20)


# Units are rows. The steps are the same as in TFLM: the largest value, x - largest, its exp, the
# logarithm of the sum of the exps in order, x - largest - logarithm.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    largest = r[_SCALARS]
    total = largest + 16
    exps = total + 16
    scalars = ptr32(int(ptr8(arena)) + (largest >> 2))
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        dst = r[_OUTPUT] + (start * depth << 4)
        scalars[0] = r[_LOWEST]
        scalars[1] = 0
        maximum(arena, rom, largest, source, largest, depth, _MAXIMUM)
        combine(arena, rom, dst, source, largest, depth, _BY_SCALAR, _SUB)
        i = 0
        while i < depth:
            n = depth - i
            if n > _BLOCK:
                n = _BLOCK
            exp(arena, rom, exps, dst + (i << 4), n)
            combine(arena, rom, total, total, exps, n, _SUM, _ADD)
            i += n
        log(arena, rom, total, total, 1)
        combine(arena, rom, dst, dst, total, depth, _BY_SCALAR, _SUB)
        start += 1
