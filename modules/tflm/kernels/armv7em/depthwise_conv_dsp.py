# tflm: DEPTHWISE_CONV_2D, int8, with weights as halfwords: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.depthwise_asm import (
    depthwise,
    depthwise_3x3,
    depthwise_3x3_stride_2,
    depthwise_groups,
    depthwise_stride_2,
)

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
_STRIDE = const(13)
_PADDING_HEIGHT = const(14)
_PADDING_WIDTH = const(15)
_BAND_ROWS = const(16)
_PLANE_COLUMNS = const(17)
_INPUT_ZERO_POINT = const(18)
_OUTPUT_ZERO_POINT = const(19)  # for 3x3 filters; for others it is _WINDOW_WORDS further on
_ACTIVATION_MIN = const(20)
_ACTIVATION_MAX = const(21)
_FILTER_HEIGHT = const(19)
_FILTER_WIDTH = const(20)
_WINDOW_WORDS = const(2)
_PLANE = const(128)  # offset of the plane in the scratch buffer, after the parameters
_STREAM_BYTES = const(40)  # of a channel with a 3x3 filter
_MAX_WIDTH = const(7)  # of other filters

# Words of the parameters; see tools/asm/armv7em/depthwise.py.
_P_STREAM = const(0)
_P_CHANNELS = const(1)
_P_LINE = const(2)
_P_LINE_STEP = const(3)
_P_ROW_BYTES = const(4)
_P_HEIGHT = const(5)
_P_FIRST_ROW = const(6)
_P_LEFT = const(7)
_P_COLUMNS = const(8)
_P_RIGHT = const(9)
_P_FILL = const(10)
_P_PLANE = const(11)
_P_PLANE_ROW = const(12)
_P_PAIR_ROWS = const(13)
_P_OUTPUT = const(14)
_P_OUTPUT_STEP = const(15)
_P_OUTPUT_ROW = const(16)
_P_ROWS = const(17)
_P_MULTIPLIER = const(18)
_P_USES = const(19)
_P_PAIRS = const(20)
_P_ODD = const(21)
_P_ZERO_POINT = const(22)
_P_CLAMPED = const(23)
_P_MINIMUM = const(24)
_P_MAXIMUM = const(25)
_P_PAIR_COUNT = const(26)
_P_JUMP = const(27)
_P_ROW_SKIP = const(28)
_P_STREAM_BYTES = const(29)


# Units are output channels. Stride 1.
@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    _bands(op, arena, rom, start, stop, depthwise_3x3, 0)


@micropython.viper
def eval_3x3_stride_2_int8(op, arena, rom, start: int, stop: int):
    if ptr32(op)[_MULTIPLIER] == 1 and not stop >> 20:
        while stop - start > 3:
            n = stop - start & 0x3FC
            if not n:
                n = 0x3FC
            depthwise_groups(op, arena, rom, start << 10 | n)
            start += n
    if start == stop:
        return
    _bands(op, arena, rom, start, stop, depthwise_3x3_stride_2, 0)


# Units are output channels. Filters of other sizes, with a stride of 1 or 2.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    if ptr32(op)[_STRIDE] == 1:
        _bands(op, arena, rom, start, stop, depthwise, _WINDOW_WORDS)
    else:
        _bands(op, arena, rom, start, stop, depthwise_stride_2, _WINDOW_WORDS)


# Run `kernel` over bands of rows. For each channel a band of the image becomes a plane of lanes.
# `more`: words of the record that a record for 3x3 filters lacks.
@micropython.viper
def _bands(op, arena, rom, start: int, stop: int, kernel, more: int):
    r = ptr32(op)
    q = ptr32(int(r) + 4 * more)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    p = ptr32(base + (r[_SCRATCH] >> 2))
    depth = r[_INPUT_CHANNELS]
    channels = r[_OUTPUT_CHANNELS]
    columns = r[_PLANE_COLUMNS]
    row_bytes = r[_INPUT_WIDTH] * depth
    first = start // r[_MULTIPLIER]  # input channel
    stride = r[_STRIDE]
    height = 3
    k = _STREAM_BYTES
    if more:
        height = r[_FILTER_HEIGHT]
        width = r[_FILTER_WIDTH]
        sets = 3 - stride  # words of weights for two rows of a column
        p[_P_PAIR_COUNT] = height + sets >> 1
        p[_P_JUMP] = (_MAX_WIDTH - width) * (28 - 4 * stride)
        p[_P_ROW_SKIP] = 4 * (columns - width + 1 - sets)
        k = 16 + 4 * (height + sets >> 1) * width * sets
        p[_P_STREAM_BYTES] = k
    word = r[_STREAM]
    p[_P_STREAM] = (flash if word & 1 else base) + (word >> 2) + k * start
    p[_P_CHANNELS] = stop - start
    p[_P_LINE_STEP] = depth
    p[_P_ROW_BYTES] = row_bytes
    p[_P_HEIGHT] = r[_INPUT_HEIGHT]
    p[_P_LEFT] = r[_PADDING_WIDTH]
    k = columns - r[_PADDING_WIDTH]
    if k > r[_INPUT_WIDTH]:
        k = r[_INPUT_WIDTH]
    p[_P_COLUMNS] = k
    p[_P_RIGHT] = columns - r[_PADDING_WIDTH] - k
    p[_P_FILL] = (r[_INPUT_ZERO_POINT] & 0xFFFF) + (r[_INPUT_ZERO_POINT] << 16)
    p[_P_PLANE] = int(p) + _PLANE
    p[_P_PLANE_ROW] = 4 * columns
    p[_P_OUTPUT_STEP] = channels
    p[_P_OUTPUT_ROW] = r[_OUTPUT_WIDTH] * channels
    p[_P_MULTIPLIER] = r[_MULTIPLIER]
    p[_P_USES] = (first + 1) * r[_MULTIPLIER] - start
    p[_P_PAIRS] = (r[_OUTPUT_WIDTH] >> 1) * 8 * stride
    p[_P_ODD] = r[_OUTPUT_WIDTH] & 1
    p[_P_ZERO_POINT] = q[_OUTPUT_ZERO_POINT]
    low = q[_ACTIVATION_MIN]
    high = q[_ACTIVATION_MAX]
    p[_P_CLAMPED] = low + 128 | high - 127
    low = low & 0xFF
    high = high & 0xFF
    low += low << 8
    high += high << 8
    p[_P_MINIMUM] = low + (low << 16)
    p[_P_MAXIMUM] = high + (high << 16)
    out = base + (r[_OUTPUT] >> 2) + start
    word = r[_INPUT]
    line = (flash if word & 1 else base) + (word >> 2) + first - depth
    batches = r[_BATCHES]
    while batches:
        row = 0
        while row < r[_OUTPUT_HEIGHT]:
            rows = r[_OUTPUT_HEIGHT] - row
            if rows > r[_BAND_ROWS]:
                rows = r[_BAND_ROWS]
            k = row * stride - r[_PADDING_HEIGHT]
            p[_P_FIRST_ROW] = k
            p[_P_LINE] = line + k * row_bytes
            p[_P_ROWS] = rows
            p[_P_OUTPUT] = out
            p[_P_PAIR_ROWS] = (rows - 1) * stride + height + 1 >> 1
            kernel(int(p))
            out += rows * r[_OUTPUT_WIDTH] * channels
            row += rows
        line += r[_INPUT_HEIGHT] * row_bytes
        batches -= 1
