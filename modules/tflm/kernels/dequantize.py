# tflm: DEQUANTIZE, int8, uint8 and int16 to float32
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .float32 import mul
from .float32_convert import from_int

_INPUT = const(1)
_SCALE = const(2)
_OUTPUT = const(3)
_TYPE = const(4)
_ZERO_POINT = const(5)

_INT16 = const(2)
_IN_PLACE_BY_ONE = const(1 | 1 << 10)  # steps of mul: output and input go on, the scale stays


# Units are elements. TFLM multiplies in double and rounds once; the difference to the zero point
# is exact in float32, so that one float32 product is the same.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    zero_point = (r[_ZERO_POINT] << sign) >> sign
    kind = r[_TYPE]
    step = 4
    if kind == _INT16:
        step = 8
    target = r[_OUTPUT] + (start << 4)
    count = stop - start
    from_int(arena, rom, target, r[_INPUT] + start * step, count, zero_point, kind)
    mul(arena, rom, target, target, r[_SCALE], count, _IN_PLACE_BY_ONE)
