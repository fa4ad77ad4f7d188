# tflm: DEPTHWISE_CONV_2D, float32
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
_LOOPS = const(19)  # calls of the inner loop for one cell of the filter
_LENGTH = const(20)  # outputs that each call updates
_STEPS = const(21)
_INPUT_MOVE = const(22)  # elements from one call to the next
_OUTPUT_MOVE = const(23)
_ACTIVATION_MIN = const(24)  # and the maximum after it

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are output pixels of batches. Each cell of the filter is added to the sums of all channels.
# A sum starts at 0.0 and adds its products in the filter's order, then the bias, as in TFLM: the
# order decides the last bits. With a depth multiplier the outputs of one input channel are
# contiguous. Prepare decides whether the inner loop runs over these outputs or over the input
# channels. The limits of the activation are in the record, which is passed as the ROM.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_OUTPUT_CHANNELS]
    dst = r[_OUTPUT] + (start * depth << 4)
    clamp_first = dst
    total = (stop - start) * depth
    while start < stop:
        out = ptr32(int(ptr8(arena)) + (dst >> 2))
        n = depth
        while n:
            out[0] = 0
            out = ptr32(int(out) + 4)
            n -= 1
        y = start // r[_OUTPUT_WIDTH]
        origin = (start - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = (y - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        cell = r[_WEIGHTS]
        rows = r[_FILTER_HEIGHT]
        while rows:
            x = origin
            cells = r[_FILTER_WIDTH]
            while cells:
                if 0 <= x < r[_INPUT_WIDTH] and 0 <= y < r[_INPUT_HEIGHT]:
                    a = ((batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + x) * r[_INPUT_CHANNELS]
                    a = r[_INPUT] + (a << 4)
                    b = cell
                    to = dst
                    loops = r[_LOOPS]
                    while loops:
                        combine(arena, rom, to, a, b, r[_LENGTH], r[_STEPS], _MAC)
                        a += r[_INPUT_MOVE] << 4
                        b += r[_OUTPUT_MOVE] << 4
                        to += r[_OUTPUT_MOVE] << 4
                        loops -= 1
                cell += depth << 4
                x += r[_DILATION_WIDTH]
                cells -= 1
            y += r[_DILATION_HEIGHT]
            rows -= 1
        if r[_BIAS] != 1:
            combine(arena, rom, dst, dst, r[_BIAS], depth, _EACH, _ADD)
        dst += depth << 4
        start += 1
    clamp(arena, op, clamp_first, total, _ACTIVATION_MIN << 4 | 1)


@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    outputs(op, arena, rom, start, stop)
