# tflm: CONV_2D, int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package cnn; check convolution_int16; units independent; order windows

from .matrix import multiply, start_sums
from .requantize_int16 import requantize_int16

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_INPUT_HEIGHT = const(6)
_INPUT_WIDTH = const(7)
_INPUT_CHANNELS = const(8)
_OUTPUT_HEIGHT = const(9)
_OUTPUT_WIDTH = const(10)
_OUTPUT_CHANNELS = const(11)
_FILTER_HEIGHT = const(12)
_FILTER_WIDTH = const(13)
_STRIDE_HEIGHT = const(14)
_STRIDE_WIDTH = const(15)
_DILATION_HEIGHT = const(16)
_DILATION_WIDTH = const(17)
_PADDING_HEIGHT = const(18)
_PADDING_WIDTH = const(19)
_FILTER_CHANNELS = const(20)
_GROUP_CHANNELS = const(21)  # output channels of a group
_BIAS_KIND = const(22)  # argument of start_sums
_OFFSETS = const(23)  # argument of multiply
_OUTPUT_ZERO_POINT = const(24)  # the REQUANTIZE_INT16 block
_BLOCK = const(64)  # sums that fit the scratch buffer


# Units are output pixels of batches. If the cells of a filter's row touch each other in the image,
# they are one vector, by which up to 64 channels are multiplied. Cells outside of the image are
# skipped.
@micropython.viper
def pixels(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    depth = r[_INPUT_CHANNELS]
    length = r[_FILTER_CHANNELS]
    channels = r[_OUTPUT_CHANNELS]
    filter_size = r[_FILTER_HEIGHT] * r[_FILTER_WIDTH] * length
    out = (r[_OUTPUT] >> 2) + (start * channels << 1)
    while start < stop:
        # The cells of the filter that are in the image.
        y = start // r[_OUTPUT_WIDTH]
        x = (start - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
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
        if cells and depth == length and r[_DILATION_WIDTH] == 1:
            runs = 1
            n = cells * length
        channel = 0
        while channel < channels:
            # A block of channels of one group.
            group = channel // r[_GROUP_CHANNELS]
            count = (group + 1) * r[_GROUP_CHANNELS] - channel
            if count > _BLOCK:
                count = _BLOCK
            start_sums(arena, rom, scratch, r[_BIAS], channel, count, r[_BIAS_KIND])
            filters = channel * filter_size + (top * r[_FILTER_WIDTH] + left) * length
            row = (batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x
            in_y = y
            rows = r[_FILTER_HEIGHT] - top
            while rows and in_y < r[_INPUT_HEIGHT]:
                a = r[_INPUT] + (row * depth + group * length << 3)
                b = r[_WEIGHTS] + (filters << 2)
                k = runs
                while k:
                    multiply(scratch, b, arena, rom, a, n, count, r[_OFFSETS], filter_size)
                    a += r[_DILATION_WIDTH] * depth << 3
                    b += length << 2
                    k -= 1
                filters += r[_FILTER_WIDTH] * length
                in_y += r[_DILATION_HEIGHT]
                row += r[_DILATION_HEIGHT] * r[_INPUT_WIDTH]
                rows -= 1
            requantize_int16(op, arena, _OUTPUT_ZERO_POINT, scratch, out, channel, count)
            out += count << 1
            channel += count
        start += 1


@micropython.viper
def eval_int16(op, arena, rom, start, stop):
    pixels(op, arena, rom, start, stop)
