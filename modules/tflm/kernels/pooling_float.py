# tflm: AVERAGE_POOL_2D, MAX_POOL_2D, float32, and the mean squares of L2_POOL_2D
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package cnn; check pooling; units independent; order windows

from .float32 import combine
from .float32_copy import copy
from .float32_divide import div
from .float32_select import clamp, maximum

_INPUT = const(1)
_OUTPUT = const(2)
_DIVISOR = const(3)  # scratch: one float32
_KIND = const(4)
_INPUT_HEIGHT = const(5)
_INPUT_WIDTH = const(6)
_CHANNELS = const(7)
_OUTPUT_HEIGHT = const(8)
_OUTPUT_WIDTH = const(9)
_FILTER_HEIGHT = const(10)
_FILTER_WIDTH = const(11)
_STRIDE_HEIGHT = const(12)
_STRIDE_WIDTH = const(13)
_PADDING_HEIGHT = const(14)
_PADDING_WIDTH = const(15)
_ACTIVATION_MIN = const(16)  # and the maximum after it
_INITIAL = const(18)  # 0.0, or the lowest float32 for MAX_POOL_2D

_MAXIMUM = const(1)  # a kind; the others are means of
_SQUARES = const(2)

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_EACH = const(1 | 1 << 10 | 1 << 20)
_SCALAR = const(1 | 1 << 10)


# Units are output pixels of batches. Each cell of a window updates all channels. The initial value
# and the limits of the activation are in the record, which is passed as the ROM.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    channels = r[_CHANNELS]
    dst = r[_OUTPUT] + (start * channels << 4)
    clamp_first = dst
    total = (stop - start) * channels
    while start < stop:
        copy(arena, op, dst, _INITIAL << 4 | 1, channels, 0)
        y = start // r[_OUTPUT_WIDTH]
        left = (start - y * r[_OUTPUT_WIDTH]) * r[_STRIDE_WIDTH] - r[_PADDING_WIDTH]
        batch = y // r[_OUTPUT_HEIGHT]
        y = (y - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        right = left + r[_FILTER_WIDTH]
        if right > r[_INPUT_WIDTH]:
            right = r[_INPUT_WIDTH]
        bottom = y + r[_FILTER_HEIGHT]
        if bottom > r[_INPUT_HEIGHT]:
            bottom = r[_INPUT_HEIGHT]
        if left < 0:
            left = 0
        if y < 0:
            y = 0
        cells = (bottom - y) * (right - left)
        while y < bottom:
            a = (batch * r[_INPUT_HEIGHT] + y) * r[_INPUT_WIDTH] + left
            a = r[_INPUT] + (a * channels << 4)
            x = left
            while x < right:
                if r[_KIND] == _MAXIMUM:
                    maximum(arena, rom, dst, a, dst, channels, _EACH)
                elif r[_KIND] == _SQUARES:
                    combine(arena, rom, dst, a, a, channels, _EACH, _MAC)
                else:
                    combine(arena, rom, dst, dst, a, channels, _EACH, _ADD)
                a += channels << 4
                x += 1
            y += 1
        if r[_KIND] != _MAXIMUM:
            # The number of cells, below 2**24, as a float32.
            exponent = 150
            while not cells >> 23:
                cells = cells << 1
                exponent -= 1
            word = ptr32(int(ptr8(arena)) + (r[_DIVISOR] >> 2))
            word[0] = (exponent - 1 << 23) + cells
            div(arena, rom, dst, dst, r[_DIVISOR], channels, _SCALAR)
        dst += channels << 4
        start += 1
    clamp(arena, op, clamp_first, total, _ACTIVATION_MIN << 4 | 1)


@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    outputs(op, arena, rom, start, stop)
