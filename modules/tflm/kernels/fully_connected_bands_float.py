# tflm: FULLY_CONNECTED, float32, in banded execution
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check connected_bands

from .float32 import combine
from .float32_copy import copy
from .float32_select import clamp

_INPUT = const(1)
_OUTPUT = const(2)
# Words of eval_float32.
_WEIGHTS = const(3)
_DEPTH = const(4)
_FIRST = const(5)
_COUNT = const(6)
_BEGINS = const(7)
# Words of eval_end_float32.
_BIAS = const(3)
_ACTIVATION_MIN = const(4)  # and the maximum after it

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are outputs. Each sum starts at 0.0 and adds its products in order, as in
# fully_connected_float.py: `count` of the `depth` products, from `first` on.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    row = r[_WEIGHTS] + (start * depth + r[_FIRST] << 4)
    dst = r[_OUTPUT] + (start << 4)
    while start < stop:
        if r[_BEGINS]:
            out = ptr32(int(ptr8(arena)) + (dst >> 2))
            out[0] = 0
        combine(arena, rom, dst, r[_INPUT], row, r[_COUNT], _DOT, _MAC)
        row += depth << 4
        dst += 16
        start += 1


# Make outputs of the sums of all bands. The limits of the activation are in the record, which is
# passed as the ROM.
@micropython.viper
def eval_end_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    count = stop - start
    sums = r[_INPUT] + (start << 4)
    dst = r[_OUTPUT] + (start << 4)
    if r[_BIAS] == 1:
        copy(arena, rom, dst, sums, count, 1)
    else:
        combine(arena, rom, dst, sums, r[_BIAS] + (start << 4), count, _EACH, _ADD)
    clamp(arena, op, dst, count, _ACTIVATION_MIN << 4 | 1)
