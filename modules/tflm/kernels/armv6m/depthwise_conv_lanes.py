# tflm: DEPTHWISE_CONV_2D, int8, with weights in lanes: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.depthwise_asm import depthwise_3x3, depthwise_3x3_stride_2, depthwise_any

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
_ODD_SET = const(21)
_BAND_ROWS = const(22)
_PLANE_COLUMNS = const(23)
_INPUT_ZERO_POINT = const(24)
_OUTPUT_ZERO_POINT = const(25)
_ACTIVATION_MIN = const(26)
_ACTIVATION_MAX = const(27)
_PLANE = const(128)  # offset of the plane in the scratch buffer, after the parameters
_PACKED_WORDS = const(5)  # of the stream of a channel whose weights have one byte
_UNPACKED = const(64)  # bytes of this stream once it is unpacked to lanes, before the plane

# Words of the parameters; see tools/asm/common/parameters.py.
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
_P_WIDTH = const(18)
_P_COLUMN_STEP = const(19)
_P_MULTIPLIER = const(20)
_P_USES = const(21)
_P_OUTPUT_ZERO_POINT = const(22)
_P_ACTIVATION_MIN = const(23)
_P_ACTIVATION_MAX = const(24)
_P_STRIDE_HEIGHT = const(25)
_P_FILTER_WIDTH = const(26)
_P_EVEN_ROWS = const(27)
_P_ODD_ROWS = const(28)
_P_ODD_SET = const(29)
_P_TABLE = const(30)
_P_UNPACKED = const(31)


# Units are output channels. They are computed in bands of rows: for each channel a band of the
# image becomes a plane of lanes. The functions for 3x3 filters have stride 1 or a vertical stride
# of 2.
@micropython.viper
def eval_int8(op: ptr32, arena, rom, start: int, stop: int):
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = op[_STREAM]
    stream = (flash if word & 1 else base) + (word >> 2)
    word = op[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    p = ptr32(base + (op[_SCRATCH] >> 2))
    depth = op[_INPUT_CHANNELS]
    channels = op[_OUTPUT_CHANNELS]
    columns = op[_PLANE_COLUMNS]
    height = op[_FILTER_HEIGHT]
    kernel = depthwise_any
    if height == 3 and op[_FILTER_WIDTH] == 3:
        if op[_STRIDE_HEIGHT] == 2:
            kernel = depthwise_3x3_stride_2
        elif op[_STRIDE_HEIGHT] == 1 and op[_STRIDE_WIDTH] == 1:
            kernel = depthwise_3x3
    row_bytes = op[_INPUT_WIDTH] * depth
    first = start // op[_MULTIPLIER]  # input channel
    p[_P_STREAM] = stream + 4 * start * op[_CHANNEL_WORDS]
    p[_P_CHANNELS] = stop - start
    p[_P_LINE_STEP] = depth
    p[_P_ROW_BYTES] = row_bytes
    p[_P_HEIGHT] = op[_INPUT_HEIGHT]
    p[_P_LEFT] = op[_PADDING_WIDTH]
    k = columns - op[_PADDING_WIDTH]
    if k > op[_INPUT_WIDTH]:
        k = op[_INPUT_WIDTH]
    p[_P_COLUMNS] = k
    p[_P_RIGHT] = columns - op[_PADDING_WIDTH] - k
    p[_P_FILL] = op[_INPUT_ZERO_POINT] + (op[_INPUT_ZERO_POINT] << 16)
    p[_P_PLANE] = int(p) + _PLANE
    p[_P_UNPACKED] = 0
    if height == 3 and op[_CHANNEL_WORDS] == _PACKED_WORDS:
        p[_P_UNPACKED] = int(p) + _PLANE
        p[_P_PLANE] = int(p) + _PLANE + _UNPACKED
    p[_P_PLANE_ROW] = 4 * columns
    p[_P_OUTPUT_STEP] = channels
    p[_P_OUTPUT_ROW] = op[_OUTPUT_WIDTH] * channels
    p[_P_COLUMN_STEP] = 4 * op[_STRIDE_WIDTH]
    p[_P_WIDTH] = op[_OUTPUT_WIDTH] * p[_P_COLUMN_STEP]
    p[_P_MULTIPLIER] = op[_MULTIPLIER]
    p[_P_USES] = (first + 1) * op[_MULTIPLIER] - start
    p[_P_OUTPUT_ZERO_POINT] = op[_OUTPUT_ZERO_POINT]
    p[_P_ACTIVATION_MIN] = op[_ACTIVATION_MIN]
    p[_P_ACTIVATION_MAX] = op[_ACTIVATION_MAX]
    p[_P_STRIDE_HEIGHT] = op[_STRIDE_HEIGHT]
    p[_P_FILTER_WIDTH] = op[_FILTER_WIDTH]
    p[_P_EVEN_ROWS] = height + 1 >> 1
    p[_P_ODD_ROWS] = (height >> 1) + 1
    p[_P_ODD_SET] = 4 * op[_ODD_SET]
    p[_P_TABLE] = 4 * op[_CHANNEL_WORDS] - 12
    out = base + (op[_OUTPUT] >> 2) + start
    line = source + first - depth
    batches = op[_BATCHES]
    while batches:
        row = 0
        while row < op[_OUTPUT_HEIGHT]:
            rows = op[_OUTPUT_HEIGHT] - row
            if rows > op[_BAND_ROWS]:
                rows = op[_BAND_ROWS]
            k = row * op[_STRIDE_HEIGHT] - op[_PADDING_HEIGHT]
            p[_P_FIRST_ROW] = k
            p[_P_LINE] = line + k * row_bytes
            p[_P_ROWS] = rows
            p[_P_OUTPUT] = out
            p[_P_PAIR_ROWS] = (rows - 1) * op[_STRIDE_HEIGHT] + height + 1 >> 1
            kernel(int(p))
            out += rows * op[_OUTPUT_WIDTH] * channels
            row += rows
        line += op[_INPUT_HEIGHT] * row_bytes
        batches -= 1


# The record has the filter's size and stride.
eval_3x3_int8 = eval_int8
eval_3x3_stride_2_int8 = eval_int8
