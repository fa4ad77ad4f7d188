# tflm: DEPTHWISE_CONV_2D, int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package cnn; check convolution_int16; units independent; order windows

from .matrix import start_sums
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
_OUTPUT_ZERO_POINT = const(20)  # the REQUANTIZE_INT16 block
_BLOCK = const(64)  # sums that fit the scratch buffer
_MAX_CELLS = const(256)  # the sum of their products fits a word
_INT64_BIAS = const(1)  # argument of start_sums


# Units are output pixels of batches.
@micropython.viper
def pixels(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    channels = r[_OUTPUT_CHANNELS]
    out = (r[_OUTPUT] >> 2) + (start * channels << 1)
    while start < stop:
        channel = 0
        while channel < channels:
            count = channels - channel
            if count > _BLOCK:
                count = _BLOCK
            start_sums(arena, rom, scratch, r[_BIAS], channel, count, _INT64_BIAS)
            _window(0, 0, 0, op, arena, rom, start, channel, count)
            requantize_int16(op, arena, _OUTPUT_ZERO_POINT, scratch, out, channel, count)
            out += count << 1
            channel += count
        start += 1


# Add the products of an output pixel's window to `count` sums; cells outside of the image are
# skipped. Sums are pairs as in matrix.py. `acc`, `w` and `x` come first because the first locals
# are in registers; their values as arguments are ignored.
@micropython.viper
def _window(
    acc: int, w: ptr8, x: ptr16, op: ptr32, arena, rom, pixel: int, channel: int, count: int
):
    base = int(ptr8(arena))
    word = op[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = op[_WEIGHTS]
    weights = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + channel
    channels = op[_OUTPUT_CHANNELS]
    depth = op[_INPUT_CHANNELS]
    multiplier = channels // depth
    step = op[_DILATION_WIDTH] * depth << 1
    y = pixel // op[_OUTPUT_WIDTH]
    x0 = (pixel - y * op[_OUTPUT_WIDTH]) * op[_STRIDE_WIDTH] - op[_PADDING_WIDTH]
    batch = y // op[_OUTPUT_HEIGHT]
    y = (y - batch * op[_OUTPUT_HEIGHT]) * op[_STRIDE_HEIGHT] - op[_PADDING_HEIGHT]
    left = 0
    while x0 < 0 and left < op[_FILTER_WIDTH]:
        x0 += op[_DILATION_WIDTH]
        left += 1
    cells = op[_FILTER_WIDTH] - left
    last = x0 + (cells - 1) * op[_DILATION_WIDTH]
    while cells and last >= op[_INPUT_WIDTH]:
        last -= op[_DILATION_WIDTH]
        cells -= 1
    first = channel // multiplier
    rows = 0
    while cells and rows < op[_FILTER_HEIGHT]:
        if 0 <= y < op[_INPUT_HEIGHT]:
            a = ((batch * op[_INPUT_HEIGHT] + y) * op[_INPUT_WIDTH] + x0) * depth + first
            a = source + (a << 1)
            b = weights + (rows * op[_FILTER_WIDTH] + left) * channels
            some = cells
            while some:
                n = some
                if n > _MAX_CELLS:
                    n = _MAX_CELLS
                p = ptr32(base + (op[_SCRATCH] >> 2))
                f = b
                s = a
                same = (first + 1) * multiplier - channel
                m = count
                while m:
                    acc = 0
                    w = ptr8(f)
                    x = ptr16(s)
                    k = n
                    while k:
                        acc = ((w[0] ^ 0x80) - 0x80) * ((x[0] ^ 0x8000) - 0x8000) + acc
                        w = ptr8(int(w) + channels)
                        x = ptr16(int(x) + step)
                        k -= 1
                    p[0] = (acc & 0xFFFF) + p[0]
                    p[1] = (acc >> 16) + p[1]
                    p = ptr32(int(p) + 8)
                    f += 1
                    same -= 1
                    if not same:
                        same = multiplier
                        s += 2
                    m -= 1
                a += n * step
                b += n * channels
                some -= n
        y += op[_DILATION_HEIGHT]
        rows += 1


@micropython.viper
def eval_int16(op, arena, rom, start, stop):
    pixels(op, arena, rom, start, stop)
