# tflm: TRANSPOSE_CONV, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check transpose_conv; units independent

from .float32 import combine
from .float32_select import clamp

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_INPUT_HEIGHT = const(5)
_INPUT_WIDTH = const(6)
_INPUT_CHANNELS = const(7)
_OUTPUT_HEIGHT = const(8)
_OUTPUT_WIDTH = const(9)
_OUTPUT_CHANNELS = const(10)
_FILTER_HEIGHT = const(11)
_FILTER_WIDTH = const(12)
_STRIDE_HEIGHT = const(13)
_STRIDE_WIDTH = const(14)
_PADDING_HEIGHT = const(15)
_PADDING_WIDTH = const(16)
_ACTIVATION_MIN = const(17)  # and the maximum after it

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)


# Units are outputs. transpose_conv.py explains which inputs an output gathers from. They are added
# in the order in which TFLM spreads them, then the bias: the order decides the last bits. The
# limits of the activation are in the record, which is passed as the ROM.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    out = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    depth = r[_INPUT_CHANNELS]
    filter_width = r[_FILTER_WIDTH]
    clamp_first = r[_OUTPUT] + (start << 4)
    total = stop - start
    while start < stop:
        pixel = start // r[_OUTPUT_CHANNELS]
        channel = start - pixel * r[_OUTPUT_CHANNELS]
        y = pixel // r[_OUTPUT_WIDTH]
        x = pixel - y * r[_OUTPUT_WIDTH] + r[_PADDING_WIDTH]
        in_y = y // r[_OUTPUT_HEIGHT]
        y = y - in_y * r[_OUTPUT_HEIGHT] + r[_PADDING_HEIGHT]
        row = in_y * r[_INPUT_HEIGHT]
        in_y = 0
        if y >= r[_FILTER_HEIGHT]:
            in_y = (y - r[_FILTER_HEIGHT]) // r[_STRIDE_HEIGHT] + 1
        left = 0
        if x >= filter_width:
            left = (x - filter_width) // r[_STRIDE_WIDTH] + 1
        out[start] = 0
        dst = r[_OUTPUT] + (start << 4)
        y -= in_y * r[_STRIDE_HEIGHT]
        while y >= 0 and in_y < r[_INPUT_HEIGHT]:
            in_x = left
            cell_x = x - left * r[_STRIDE_WIDTH]
            filters = (channel * r[_FILTER_HEIGHT] + y) * filter_width
            while cell_x >= 0 and in_x < r[_INPUT_WIDTH]:
                a = r[_INPUT] + (((row + in_y) * r[_INPUT_WIDTH] + in_x) * depth << 4)
                b = r[_WEIGHTS] + ((filters + cell_x) * depth << 4)
                combine(arena, rom, dst, a, b, depth, _DOT, _MAC)
                in_x += 1
                cell_x -= r[_STRIDE_WIDTH]
            in_y += 1
            y -= r[_STRIDE_HEIGHT]
        if r[_BIAS] != 1:
            combine(arena, rom, dst, dst, r[_BIAS] + (channel << 4), 1, 0, _ADD)
        start += 1
    clamp(arena, op, clamp_first, total, _ACTIVATION_MIN << 4 | 1)
