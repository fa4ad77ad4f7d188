# tflm: QUANTIZE, float32 to int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .float32_divide import quantize

_INPUT = const(1)
_SCALE = const(2)
_OUTPUT = const(3)
_TYPE = const(4)
_ZERO_POINT = const(5)

_INT16 = const(2)


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
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
    target = r[_OUTPUT] + start * step
    source = r[_INPUT] + (start << 4)
    quantize(arena, rom, target, source, stop - start, r[_SCALE], zero_point, kind)
