# tflm: DEPTHWISE_CONV_2D, int8, with weights as halfwords (prepare/depthwise_dsp.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check dsp; units independent; order channels; weights twice;
#   target armv7em

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
_STRIDE_HEIGHT = const(13)
_STRIDE_WIDTH = const(14)
_PADDING_HEIGHT = const(15)
_PADDING_WIDTH = const(16)
_INPUT_ZERO_POINT = const(19)
_OUTPUT_ZERO_POINT = const(20)  # the REQUANTIZE block of eval_planes_3x3_int8
_FILTER_HEIGHT = const(20)  # of eval_planes_int8
_FILTER_WIDTH = const(21)
_WINDOW_WORDS = const(2)  # of eval_planes_int8's record before that block
_SUMS = const(32)  # that fit the scratch buffer


# Units are output channels. The assembler has a kernel for each stride of 3x3 filters; this
# function serves both strides.
@micropython.viper
def eval_planes_3x3_int8(op, arena, rom, start: int, stop: int):
    _run(op, arena, rom, start, stop, 0)


@micropython.viper
def eval_planes_3x3_stride_2_int8(op, arena, rom, start: int, stop: int):
    _run(op, arena, rom, start, stop, 0)


# Units are output channels. Filters of other sizes.
@micropython.viper
def eval_planes_int8(op, arena, rom, start: int, stop: int):
    _run(op, arena, rom, start, stop, _WINDOW_WORDS)


# `more`: words of the record that a record for 3x3 filters lacks.
@micropython.viper
def _run(op, arena, rom, start: int, stop: int, more: int):
    r = ptr32(op)
    block = _OUTPUT_ZERO_POINT + more
    rows = r[_BATCHES] * r[_OUTPUT_HEIGHT]
    sums = r[_SCRATCH] >> 2
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
                _sums(op, arena, rom, row, pixel, channel, count, more)
                store_int8(op, arena, block, sums, out + channel, channel, count)
                channel += count
            pixel += 1
        row += 1


# TFLM's sums of `count` channels of one pixel: the sums of the stream, divided by the factor of
# its weights. Outside of the image the input is the zero point, which is folded into the biases
# for all taps.
@micropython.viper
def _sums(op, arena, rom, row: int, pixel: int, channel: int, count: int, more: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
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
    height = 3
    width = 3
    tail = 32  # bytes before the words for the outputs
    weights = 8  # bytes before the weights
    channel_bytes = 40
    sets = 3 - r[_STRIDE_HEIGHT]
    if more:
        height = r[_FILTER_HEIGHT]
        width = r[_FILTER_WIDTH]
        tail = 8
        weights = 16
        channel_bytes = 16 + 4 * (height + sets >> 1) * width * sets
    while count:
        group = ptr32(stream + channel_bytes * channel)
        w = ptr16(int(group) + weights)
        acc = (group[1] << sign) >> sign
        tap = 0
        while tap < height * width:
            x = tap // height
            y = tap - height * x
            value = r[_INPUT_ZERO_POINT] & 0xFF
            k = top + y
            if k >= 0 and k < r[_INPUT_HEIGHT]:
                k = k * r[_INPUT_WIDTH] + left + x
                if left + x >= 0 and left + x < r[_INPUT_WIDTH]:
                    k = k * r[_INPUT_CHANNELS] + channel // r[_MULTIPLIER]
                    value = ptr8(source)[k]
            # The stream has rows 0, 1, 1, 2 of a column of a 3x3 filter.
            k = 4 * x + y + (y >> 1)
            if more:
                k = 2 * sets * ((y >> 1) * width + x) + (y & 1)
            k = w[k]
            acc += ((k ^ 0x8000) - 0x8000) * ((value ^ 0x80) - 0x80)
            tap += 1
        acc = (acc << sign) >> sign
        k = (ptr32(int(group) + tail)[1] << sign) >> sign
        if group[0]:
            # The factor; its upper 24 bits were added to the sum.
            acc -= k >> 8
            k = k & 0xFF
            if k:  # never 0 in a stream that Prepare has written
                acc = acc // k
        else:
            acc = acc >> (k >> 8)
        sums[0] = acc
        sums = ptr32(int(sums) + 4)
        channel += 1
        count -= 1
