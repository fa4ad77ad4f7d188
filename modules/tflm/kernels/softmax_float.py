# tflm: SOFTMAX, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check softmax; units independent; order place

from .float32 import combine
from .float32_divide import div
from .float32_math import exp
from .float32_select import maximum

_INPUT = const(1)
_OUTPUT = const(2)
_SCALAR = const(3)  # scratch: a row's largest value, then its sum
_DEPTH = const(4)
_BETA = const(5)
_LOWEST = const(6)  # float32

# Operations of float32.combine.
_MUL = const(1)
_ADD = const(2)
_SUB = const(3)
_BY_SCALAR = const(1 | 1 << 10)
_MAXIMUM = const(1 << 10)
_SUM = const(1 << 20)


# Units are rows. The steps are the same as in TFLM: the largest value, exp(beta * (x - largest)),
# their sum in order, the quotients. The rows of a call share one call of exp. The numbers are in
# the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    scalar = r[_SCALAR]
    value = ptr32(int(ptr8(arena)) + (scalar >> 2))
    source = r[_INPUT] + (start * depth << 4)
    first = r[_OUTPUT] + (start * depth << 4)
    dst = first
    rows = stop - start
    while rows:
        value[0] = r[_LOWEST]
        maximum(arena, rom, scalar, source, scalar, depth, _MAXIMUM)
        combine(arena, rom, dst, source, scalar, depth, _BY_SCALAR, _SUB)
        if r[_BETA] != 0x3F800000:
            combine(arena, op, dst, dst, _BETA << 4 | 1, depth, _BY_SCALAR, _MUL)
        source += depth << 4
        dst += depth << 4
        rows -= 1
    exp(arena, rom, first, first, (stop - start) * depth)
    dst = first
    while start < stop:
        value[0] = 0
        combine(arena, rom, scalar, scalar, dst, depth, _SUM, _ADD)
        div(arena, rom, dst, dst, scalar, depth, _BY_SCALAR)
        dst += depth << 4
        start += 1


# For the override of armv7emsp, which passes addresses beyond small integers to it.
ALL = (eval_float32,)
