# tflm: AVERAGE_POOL_2D of int8 that was uint8: halves are rounded up
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types uint8; package cnn; check pooling; units independent

_INPUT = const(1)
_OUTPUT = const(2)
_INPUT_HEIGHT = const(4)
_INPUT_WIDTH = const(5)
_CHANNELS = const(6)
_OUTPUT_HEIGHT = const(7)
_OUTPUT_WIDTH = const(8)
_FILTER_HEIGHT = const(9)
_FILTER_WIDTH = const(10)
_STRIDE_HEIGHT = const(11)
_STRIDE_WIDTH = const(12)
_PADDING_HEIGHT = const(13)
_PADDING_WIDTH = const(14)
_ACTIVATION_MIN = const(15)
_ACTIVATION_MAX = const(16)


# Units are output rows of all batches; only cells inside the input count. A byte with its top bit
# flipped is the original uint8.
@micropython.viper
def eval_average(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    high = (op[_ACTIVATION_MAX] << sign) >> sign
    channels = op[_CHANNELS]
    width = op[_INPUT_WIDTH]
    word = op[_INPUT]
    source = int(rom) if word & 1 else int(arena)
    source += word >> 2
    columns = op[_OUTPUT_WIDTH]
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start * columns * channels)
    rows = op[_OUTPUT_HEIGHT]
    while start < stop:
        batch = start // rows
        top = (start - batch * rows) * op[_STRIDE_HEIGHT] - op[_PADDING_HEIGHT]
        bottom = top + op[_FILTER_HEIGHT]
        if bottom > op[_INPUT_HEIGHT]:
            bottom = op[_INPUT_HEIGHT]
        if top < 0:
            top = 0
        line = source + (batch * op[_INPUT_HEIGHT] + top) * width * channels
        column = 0
        while column < columns:
            left = column * op[_STRIDE_WIDTH] - op[_PADDING_WIDTH]
            right = left + op[_FILTER_WIDTH]
            if right > width:
                right = width
            if left < 0:
                left = 0
            run = right - left
            cells = run * (bottom - top)
            channel = 0
            while channel < channels:
                p = ptr8(line + left * channels + channel)
                v = cells >> 1
                n = bottom - top
                while n:
                    k = run
                    while k:
                        v += p[0] ^ 0x80
                        p = ptr8(int(p) + channels)
                        k -= 1
                    p = ptr8(int(p) + (width - run) * channels)
                    n -= 1
                v = v // cells - 128
                if v < low:
                    v = low
                if v > high:
                    v = high
                y[0] = v
                y = ptr8(int(y) + 1)
                channel += 1
            column += 1
        start += 1
