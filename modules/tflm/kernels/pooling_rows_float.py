# tflm: pooling, MEAN and SUM of a whole feature map in banded execution, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check pooling

from .float32 import combine
from .float32_copy import copy
from .float32_divide import div
from .float32_select import clamp, maximum

_INPUT = const(1)
_OUTPUT = const(2)
# Words of eval_float32.
_WIDTH = const(3)
_DEPTH = const(4)
_INITIAL = const(5)
_MAXIMUM = const(6)
_BEGINS = const(7)
# Words of eval_end_float32.
_DIVISOR = const(3)
_ACTIVATION_MIN = const(4)  # and the maximum after it

# Operations of float32.combine.
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)
_BY_SCALAR = const(1 | 1 << 10)

_ONE = const(0x3F800000)


# Units are rows of the input. The cells of a row are added to each channel's float32, in the order
# of the input as in TFLM, or update its maximum. The numbers are in the record, which is passed as
# the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    sums = r[_OUTPUT]
    if r[_BEGINS] and not start:
        copy(arena, op, sums, _INITIAL << 4 | 1, depth, 0)
    source = r[_INPUT] + (start * r[_WIDTH] * depth << 4)
    cells = (stop - start) * r[_WIDTH]
    while cells:
        if r[_MAXIMUM]:
            maximum(arena, rom, sums, source, sums, depth, _EACH)
        else:
            combine(arena, rom, sums, sums, source, depth, _EACH, _ADD)
        source += depth << 4
        cells -= 1


# Make outputs of the sums of all bands; units are channels.
@micropython.viper
def eval_end_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    count = stop - start
    dst = r[_OUTPUT] + (start << 4)
    copy(arena, rom, dst, r[_INPUT] + (start << 4), count, 1)
    if r[_DIVISOR] != _ONE:
        div(arena, op, dst, dst, _DIVISOR << 4 | 1, count, _BY_SCALAR)
    clamp(arena, op, dst, count, _ACTIVATION_MIN << 4 | 1)
