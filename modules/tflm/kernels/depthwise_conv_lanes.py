# tflm: DEPTHWISE_CONV_2D, int8, with weights in lanes (prepare/depthwise_lanes.py)
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .requantize import store_int8

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_BATCHES = const(5)
_INPUT_HEIGHT = const(6)
_INPUT_WIDTH = const(7)
_INPUT_CHANNELS = const(8)
_OUTPUT_HEIGHT = const(9)
_OUTPUT_WIDTH = const(10)
_OUTPUT_CHANNELS = const(11)
_MULTIPLIER = const(12)
_FILTER_HEIGHT = const(13)
_FILTER_WIDTH = const(14)
_STRIDE_HEIGHT = const(15)
_STRIDE_WIDTH = const(16)
_PADDING_HEIGHT = const(17)
_PADDING_WIDTH = const(18)
_CHANNEL_WORDS = const(19)
_TAP_WORDS = const(20)
_INPUT_ZERO_POINT = const(24)
_OUTPUT_ZERO_POINT = const(25)  # the REQUANTIZE block
_SUMS = const(32)  # that fit the scratch buffer


# Units are output channels. Where there is an assembler each kind of filter has a kernel of its
# own; here one serves all of them.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    rows = r[_BATCHES] * r[_OUTPUT_HEIGHT]
    row = 0
    while row < rows:
        pixel = 0
        while pixel < r[_OUTPUT_WIDTH]:
            out = (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + pixel) * r[_OUTPUT_CHANNELS]
            channel = start
            while channel < stop:
                count = stop - channel
                if count > _SUMS:
                    count = _SUMS
                _sums(op, arena, rom, row, pixel, channel, count)
                sums = r[_SCRATCH] >> 2
                store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, out + channel, channel, count)
                channel += count
            pixel += 1
        row += 1


@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    eval_int8(op, arena, rom, start, stop)


@micropython.viper
def eval_3x3_stride_2_int8(op, arena, rom, start: int, stop: int):
    eval_int8(op, arena, rom, start, stop)


# The sums of `count` channels of one pixel. The zero point stands for what lies beside the image;
# it is folded into the biases, for all taps.
@micropython.viper
def _sums(op, arena, rom, row: int, pixel: int, channel: int, count: int):
    r = ptr32(op)
    word = r[_INPUT]
    batch = row // r[_OUTPUT_HEIGHT]
    source = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    source += batch * r[_INPUT_HEIGHT] * r[_INPUT_WIDTH] * r[_INPUT_CHANNELS]
    word = r[_STREAM]
    stream = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    sums = ptr32(int(ptr8(arena)) + (r[_SCRATCH] >> 2))
    top = (row - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
    left = pixel * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
    while count:
        w = ptr32(stream + 4 * channel * r[_CHANNEL_WORDS])
        acc = w[0]
        y = 0
        while y < r[_FILTER_HEIGHT]:
            x = 0
            while x < r[_FILTER_WIDTH]:
                value = r[_INPUT_ZERO_POINT] & 0xFF
                k = top + y
                if k >= 0 and k < r[_INPUT_HEIGHT]:
                    k = k * r[_INPUT_WIDTH] + left + x
                    if left + x >= 0 and left + x < r[_INPUT_WIDTH]:
                        k = k * r[_INPUT_CHANNELS] + channel // r[_MULTIPLIER]
                        value = ptr8(source)[k]
                # The upper lane is 1 less than its weight where the lower one is negative.
                k = w[1 + ((y >> 1) * r[_FILTER_WIDTH] + x) * r[_TAP_WORDS]]
                if not y & 1:
                    k = (k >> 16) + (k >> 15 & 1)
                k = ((k & 0xFFFF) ^ 0x8000) - 0x8000
                acc += k * ((value ^ 0x80) - 0x80)
                x += 1
            y += 1
        sums[0] = acc
        sums = ptr32(int(sums) + 4)
        channel += 1
        count -= 1
