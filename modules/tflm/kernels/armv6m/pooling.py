# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.pooling_asm import average, maximum

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


# Units are output rows of all batches. Only cells inside the input count.
@micropython.viper
def eval_int8(op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    word = op[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    channels = op[_CHANNELS]
    width = op[_INPUT_WIDTH]
    columns = op[_OUTPUT_WIDTH]
    out = base + (op[_OUTPUT] >> 2) + start * columns * channels
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
        left = 0 - op[_PADDING_WIDTH]
        k = columns
        while k:
            first = left
            right = left + op[_FILTER_WIDTH]
            if right > width:
                right = width
            if first < 0:
                first = 0
            n = (bottom - top - 1 << 15) + right - first - 1
            if op[_MAXIMUM]:
                maximum(line + first * channels, out, int(op), n)
            else:
                average(line + first * channels, out, int(op), n)
            out += channels
            left += op[_STRIDE_WIDTH]
            k -= 1
        start += 1
