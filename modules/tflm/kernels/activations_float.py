# tflm: RELU, RELU6, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float; order elements

from .float32_copy import copy
from .float32_select import clamp

_INPUT = const(1)
_OUTPUT = const(2)
_LOW = const(3)  # and the upper limit after it


# Units are elements. The limits are in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    dst = r[_OUTPUT] + (start << 4)
    copy(arena, rom, dst, r[_INPUT] + (start << 4), stop - start, 1)
    clamp(arena, op, dst, stop - start, _LOW << 4 | 1)
