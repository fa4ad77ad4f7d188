# tflm: DEPTHWISE_CONV_2D, int8, with weights in lanes (prepare/depthwise_lanes.py): bands of rows
# MIT license; Copyright (c) 2026 the tflm authors

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
_TAP_WORDS = const(20)
_ODD_SET = const(21)
_BAND_ROWS = const(22)
_PLANE_COLUMNS = const(23)
_INPUT_ZERO_POINT = const(24)
_OUTPUT_ZERO_POINT = const(25)
_ACTIVATION_MIN = const(26)
_ACTIVATION_MAX = const(27)
_PLANE = const(128)  # offset of the plane in the scratch buffer, after the parameters
_PACKED_WORDS = const(5)  # of the stream of a 3x3 channel whose weights have one byte
_UNPACKED = const(64)  # bytes of this stream once it is unpacked to lanes, before the plane

# Words of the parameters; see tools/asm/kernels/parameters.py.
_P_STREAM = const(0)
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
_P_OUTPUT_ZERO_POINT = const(22)
_P_ACTIVATION_MIN = const(23)
_P_ACTIVATION_MAX = const(24)
_P_STRIDE_HEIGHT = const(25)
_P_FILTER_WIDTH = const(26)
_P_EVEN_ROWS = const(27)
_P_ODD_ROWS = const(28)
_P_ODD_SET = const(29)
_P_TABLE = const(30)


# Unpack a channel's stream of weights of one byte to lanes. The stream, `offset` bytes after
# `source`, is a bias, three columns (right shift or nothing, lower, middle and upper weight) and a
# multiplier. It is unpacked `target` bytes after `to`. `step`: 2 if each word for even rows is
# followed by the word for odd rows, else 1.
@micropython.viper
def _unpack(to: ptr32, source: ptr8, target: int, offset: int, step: int):
    to = ptr32(int(to) + target)
    source = ptr8(int(source) + offset)
    to[0] = ptr32(source)[0]
    to[1 + 6 * step] = ptr32(source)[4] & 0xFFFF
    to[2 + 6 * step] = ptr32(source)[4] >> 16 & 0xFFFF
    to[3 + 6 * step] = source[4]
    left = 3
    while left:
        source = ptr8(int(source) + 4)
        lower = (source[1] ^ 128) - 128
        middle = (source[2] ^ 128) - 128
        upper = (source[3] ^ 128) - 128
        to[1] = middle + (upper << 16)
        to[1 + 3 * step] = lower << 16
        if step == 2:
            to[2] = upper
            to[8] = lower + (middle << 16)
        to = ptr32(int(to) + 4 * step)
        left -= 1


# Channels start..stop-1 in bands of rows. For each channel a band of the image becomes a plane of
# lanes, from which `rows` computes the outputs; the plane of an input channel serves several
# output channels. Both functions are called with (arena, offset of their parameters, the memory of
# image or stream). Addresses among the parameters are offsets in these two. `taps` is an argument
# of `rows`.
@micropython.viper
def run_bands(op, arena, rom, start: int, stop: int, build_plane, rows, taps: int):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    p = ptr32(int(ptr8(arena)) + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    source = r[_INPUT] >> 2
    stream = r[_STREAM] >> 2
    depth = r[_INPUT_CHANNELS]
    channels = r[_OUTPUT_CHANNELS]
    columns = r[_PLANE_COLUMNS]
    height = r[_FILTER_HEIGHT]
    row_bytes = r[_INPUT_WIDTH] * depth
    first = start // r[_MULTIPLIER]  # input channel
    p[_P_LINE_STEP] = depth
    p[_P_ROW_BYTES] = row_bytes
    p[_P_HEIGHT] = r[_INPUT_HEIGHT]
    p[_P_LEFT] = r[_PADDING_WIDTH]
    k = columns - r[_PADDING_WIDTH]
    if k > r[_INPUT_WIDTH]:
        k = r[_INPUT_WIDTH]
    p[_P_COLUMNS] = k
    p[_P_RIGHT] = columns - r[_PADDING_WIDTH] - k
    p[_P_FILL] = r[_INPUT_ZERO_POINT] + (r[_INPUT_ZERO_POINT] << 16)
    p[_P_PLANE] = scratch + _PLANE
    packed = 1 if r[_CHANNEL_WORDS] == _PACKED_WORDS and height == 3 else 0
    channel_bytes = 4 * r[_CHANNEL_WORDS]
    p[_P_PLANE_ROW] = 4 * columns
    p[_P_OUTPUT_STEP] = channels
    p[_P_OUTPUT_ROW] = r[_OUTPUT_WIDTH] * channels
    p[_P_COLUMN_STEP] = 4 * r[_STRIDE_WIDTH]
    p[_P_WIDTH] = r[_OUTPUT_WIDTH] * p[_P_COLUMN_STEP]
    p[_P_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_P_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_P_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    p[_P_STRIDE_HEIGHT] = r[_STRIDE_HEIGHT]
    p[_P_FILTER_WIDTH] = r[_FILTER_WIDTH]
    p[_P_EVEN_ROWS] = height + 1 >> 1
    p[_P_ODD_ROWS] = (height >> 1) + 1
    p[_P_ODD_SET] = 4 * r[_ODD_SET]
    p[_P_TABLE] = channel_bytes - 12
    if packed:
        p[_P_PLANE] = scratch + _PLANE + _UNPACKED
        p[_P_TABLE] = 4 + 24 * r[_TAP_WORDS]
    out = (r[_OUTPUT] >> 2) + start
    line = source + first - depth
    batches = r[_BATCHES]
    while batches:
        row = 0
        while row < r[_OUTPUT_HEIGHT]:
            n = r[_OUTPUT_HEIGHT] - row
            if n > r[_BAND_ROWS]:
                n = r[_BAND_ROWS]
            k = row * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
            p[_P_FIRST_ROW] = k
            p[_P_LINE] = line + k * row_bytes
            p[_P_ROWS] = n
            p[_P_OUTPUT] = out
            p[_P_PAIR_ROWS] = (n - 1) * r[_STRIDE_HEIGHT] + height + 1 >> 1
            weights = stream + start * channel_bytes
            uses = 0
            channel = start
            while channel < stop:
                if not uses:
                    build_plane(arena, scratch, image_memory)
                    p[_P_LINE] = p[_P_LINE] + 1
                    uses = r[_MULTIPLIER]
                    if channel == start:
                        uses = (first + 1) * uses - start
                if packed:
                    p[_P_STREAM] = scratch + _PLANE
                    _unpack(arena, stream_memory, scratch + _PLANE, weights, r[_TAP_WORDS])
                    rows(arena, scratch, arena, taps)
                else:
                    p[_P_STREAM] = weights
                    rows(arena, scratch, stream_memory, taps)
                weights += channel_bytes
                p[_P_OUTPUT] = p[_P_OUTPUT] + 1
                uses -= 1
                channel += 1
            out += n * r[_OUTPUT_WIDTH] * channels
            row += n
        line += r[_INPUT_HEIGHT] * row_bytes
        batches -= 1
