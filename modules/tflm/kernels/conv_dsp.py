# tflm: CONV_2D, int8, with weights as halfwords (prepare/dsp.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check dsp; units independent; order rows in eval_int8, pixels in
#   eval_pixels_int8; weights twice; target armv7em

from .dsp import sum_group
from .requantize import store_int8

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_INPUT_HEIGHT = const(5)
_ROW_BYTES = const(6)
_OUTPUT_HEIGHT = const(7)
_OUTPUT_WIDTH = const(8)
_OUTPUT_CHANNELS = const(9)
_FILTER_HEIGHT = const(10)
_STRIDE_HEIGHT = const(11)
_DILATION_HEIGHT = const(12)
_PADDING_HEIGHT = const(13)
_PADDING_BYTES = const(14)
_PIXEL_STEP = const(15)
_RUN = const(16)
_WINDOW = const(17)
_INPUT_ZERO_POINT = const(19)
_OUTPUT_ZERO_POINT = const(20)  # the REQUANTIZE block
_SUMS = const(0)  # offset in the scratch buffer: four sums, then the inputs of one window
_TAPS = const(128)


# Units are rows of the output.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    width = int(ptr32(op)[_OUTPUT_WIDTH])
    while start < stop:
        _pixels(op, arena, rom, start, 0, width)
        start += 1


# Units are pixels of the only row.
@micropython.viper
def eval_pixels_int8(op, arena, rom, start: int, stop: int):
    _pixels(op, arena, rom, 0, start, stop)


# Pixels start..stop-1 of a row: gather the inputs of a window, then compute the outputs of four
# channels at a time.
@micropython.viper
def _pixels(op, arena, rom, row: int, start: int, stop: int):
    r = ptr32(op)
    word = r[_STREAM]
    memory = rom if word & 1 else arena
    stream = word >> 2
    channels = r[_OUTPUT_CHANNELS]
    scratch = r[_SCRATCH] >> 2
    quads = r[_WINDOW] >> 2
    out = (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + start) * channels
    while start < stop:
        _gather(op, arena, rom, row, start)
        at = stream
        channel = 0
        while channel < channels:
            count = channels - channel
            if count > 4:
                count = 4
            sum_group(arena, memory, at, scratch + _TAPS, scratch + _SUMS, quads)
            store_int8(op, arena, _OUTPUT_ZERO_POINT, scratch + _SUMS, out, channel, count)
            at += 52 + 32 * quads
            out += count
            channel += count
        start += 1


# Copy the inputs of one window to the scratch buffer. Outside of the image they are the zero
# point.
@micropython.viper
def _gather(op, arena, rom, row: int, pixel: int):
    r = ptr32(op)
    word = r[_INPUT]
    batch = row // r[_OUTPUT_HEIGHT]
    y = (row - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
    image = (int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2)
    image += batch * r[_INPUT_HEIGHT] * r[_ROW_BYTES]
    to = ptr8(int(ptr8(arena)) + (r[_SCRATCH] >> 2) + _TAPS)
    limit = r[_ROW_BYTES]
    at = pixel * r[_PIXEL_STEP] - r[_PADDING_BYTES]
    rows = r[_FILTER_HEIGHT]
    while rows:
        from_ = ptr8(image + y * limit + at)
        k = 0
        while k < r[_RUN]:
            value = r[_INPUT_ZERO_POINT]
            if y >= 0 and y < r[_INPUT_HEIGHT] and at + k >= 0 and at + k < limit:
                value = from_[k]
            to[k] = value
            k += 1
        to = ptr8(int(to) + r[_RUN])
        y += r[_DILATION_HEIGHT]
        rows -= 1
    k = r[_WINDOW] - r[_FILTER_HEIGHT] * r[_RUN]
    while k:
        to[0] = 0
        to = ptr8(int(to) + 1)
        k -= 1
