# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package cnn; check pooling; units independent; order windows

_INPUT = const(1)
_OUTPUT = const(2)
_MAXIMUM = const(3)
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


# Units are output rows of all batches: pooling.py with 16 bits. Prepare limits the window so that
# the sums of signed values fit a word.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    high = (op[_ACTIVATION_MAX] << sign) >> sign
    maximum = op[_MAXIMUM]
    channels = op[_CHANNELS]
    pixel = channels + channels  # bytes
    width = op[_INPUT_WIDTH]
    word = op[_INPUT]
    source = int(rom) if word & 1 else int(arena)
    source += word >> 2
    columns = op[_OUTPUT_WIDTH]
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + start * columns * pixel)
    rows = op[_OUTPUT_HEIGHT]
    unit = start
    while unit < stop:
        batch = unit // rows
        top = (unit - batch * rows) * op[_STRIDE_HEIGHT] - op[_PADDING_HEIGHT]
        bottom = top + op[_FILTER_HEIGHT]
        if bottom > op[_INPUT_HEIGHT]:
            bottom = op[_INPUT_HEIGHT]
        if top < 0:
            top = 0
        line = source + (batch * op[_INPUT_HEIGHT] + top) * width * pixel
        column = 0
        while column < columns:
            left = column * op[_STRIDE_WIDTH] - op[_PADDING_WIDTH]
            right = left + op[_FILTER_WIDTH]
            if right > width:
                right = width
            if left < 0:
                left = 0
            cells = (right - left) * (bottom - top)
            run = (right - left) * pixel
            gap = width * pixel - run
            first = line + left * pixel
            channel = 0
            while channel < channels:
                p = ptr16(first)
                first += 2
                n = bottom - top
                if maximum:
                    v = low
                    while n:
                        end = int(p) + run
                        while int(p) < end:
                            x = (p[0] ^ 0x8000) - 0x8000
                            if x > v:
                                v = x
                            p = ptr16(int(p) + pixel)
                        p = ptr16(int(p) + gap)
                        n -= 1
                else:
                    v = 0
                    while n:
                        end = int(p) + run
                        while int(p) < end:
                            v = (p[0] ^ 0x8000) - 0x8000 + v
                            p = ptr16(int(p) + pixel)
                        p = ptr16(int(p) + gap)
                        n -= 1
                    if v > 0:
                        v = (v + (cells >> 1)) // cells
                    else:
                        v = 0 - ((cells >> 1) - v) // cells
                    if v < low:
                        v = low
                if v > high:
                    v = high
                y[0] = v
                y = ptr16(int(y) + 2)
                channel += 1
            column += 1
        unit += 1
