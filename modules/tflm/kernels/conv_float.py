# tflm: CONV_2D, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check convolution_float; units independent; order windows

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
_DILATION_HEIGHT = const(15)
_DILATION_WIDTH = const(16)
_PADDING_HEIGHT = const(17)
_PADDING_WIDTH = const(18)
_FILTER_CHANNELS = const(19)
_GROUP_CHANNELS = const(20)  # output channels of a group
_ACTIVATION_MIN = const(21)  # and the maximum after it

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are outputs: channels of pixels of batches. Sums start at 0.0 and add the products in the
# filter's order, without those outside of the image, then the bias, as in TFLM: the order decides
# the last bits. If the cells of a filter's row touch each other in the image, they are one dot
# product. The limits of the activation are in the record, which is passed as the ROM.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    out = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    depth = r[_INPUT_CHANNELS]
    length = r[_FILTER_CHANNELS]
    touching = 0
    if depth == length and r[_DILATION_WIDTH] == 1:
        touching = 1
    clamp_first = r[_OUTPUT] + (start << 4)
    total = stop - start
    pixel = start // r[_OUTPUT_CHANNELS]
    channel = start - pixel * r[_OUTPUT_CHANNELS]
    while start < stop:
        # The cells of the filter that are in the image.
        y = pixel // r[_OUTPUT_WIDTH]
        x = (pixel - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = (y - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        top = 0
        while y < 0 and top < r[_FILTER_HEIGHT]:
            y += r[_DILATION_HEIGHT]
            top += 1
        left = 0
        while x < 0 and left < r[_FILTER_WIDTH]:
            x += r[_DILATION_WIDTH]
            left += 1
        cells = r[_FILTER_WIDTH] - left
        last = x + (cells - 1) * r[_DILATION_WIDTH]
        while cells and last >= r[_INPUT_WIDTH]:
            last -= r[_DILATION_WIDTH]
            cells -= 1
        runs = cells
        n = length
        if touching and cells:
            runs = 1
            n = cells * length
        # From here to the pixel's last channel.
        first = start
        end = start + r[_OUTPUT_CHANNELS] - channel
        if end > stop:
            end = stop
        while start < end:
            out[start] = 0
            dst = r[_OUTPUT] + (start << 4)
            group = channel // r[_GROUP_CHANNELS] * length
            filter_row = (channel * r[_FILTER_HEIGHT] + top) * r[_FILTER_WIDTH] + left
            row = (batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x
            in_y = y
            rows = r[_FILTER_HEIGHT] - top
            while rows and in_y < r[_INPUT_HEIGHT]:
                a = r[_INPUT] + (row * depth + group << 4)
                b = r[_WEIGHTS] + (filter_row * length << 4)
                left_runs = runs
                while left_runs:
                    combine(arena, rom, dst, a, b, n, _DOT, _MAC)
                    a += r[_DILATION_WIDTH] * depth << 4
                    b += length << 4
                    left_runs -= 1
                filter_row += r[_FILTER_WIDTH]
                in_y += r[_DILATION_HEIGHT]
                row += r[_DILATION_HEIGHT] * r[_INPUT_WIDTH]
                rows -= 1
            start += 1
            channel += 1
        if r[_BIAS] != 1:
            dst = r[_OUTPUT] + (first << 4)
            a = r[_BIAS] + (channel - (start - first) << 4)
            combine(arena, rom, dst, dst, a, start - first, _EACH, _ADD)
        channel = 0
        pixel += 1
    clamp(arena, op, clamp_first, total, _ACTIVATION_MIN << 4 | 1)


@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    outputs(op, arena, rom, start, stop)
