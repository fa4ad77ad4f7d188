# tflm: DEPTHWISE_CONV_2D, int8, 3x3, with weights as vectors of 16 bytes (prepare/pie.py): rows
# MIT license; Copyright (c) 2026 the tflm authors

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_INPUT_HEIGHT = const(5)
_INPUT_WIDTH = const(6)
_OUTPUT_HEIGHT = const(7)
_OUTPUT_WIDTH = const(8)
_CHANNELS = const(9)
_STRIDE_HEIGHT = const(10)
_STRIDE_WIDTH = const(11)
_PADDING_HEIGHT = const(12)
_PADDING_WIDTH = const(13)
_PLANE_COLUMNS = const(14)
_INPUT_ZERO_POINT = const(15)
_PLANE = const(128)  # offset of the plane in the scratch buffer, after the parameters

# Words of the parameters; see tools/asm/kernels/parameters.py.
_P_ROW = const(0)
_P_SOURCE = const(1)
_P_LEFT = const(2)
_P_COLUMNS = const(3)
_P_RIGHT = const(4)
_P_CHANNELS = const(5)
_P_BLOCK_STEP = const(6)
_P_FILL = const(7)
_P_PLANE = const(8)
_P_MOVED_FROM = const(9)
_P_MOVED_BYTES = const(10)
_P_STREAM = const(11)
_P_OUTPUT = const(12)
_P_WIDTH = const(13)
_P_PIXEL_STEP = const(14)
_P_PLANE_ROW = const(15)
_P_OUTPUT_STEP = const(16)


# Rows start..stop-1 of the output. The plane in scratch memory has the three rows of the image
# under a row of windows. Rows that the next windows share move to its beginning. Both functions
# are called with (arena, offset of their parameters, the memory of image or stream). Addresses
# among the parameters are offsets in these two.
@micropython.viper
def run_rows(op, arena, rom, start: int, stop: int, load_row, multiply_row):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    p = ptr32(int(ptr8(arena)) + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    channels = r[_CHANNELS]
    across = r[_PLANE_COLUMNS]
    height = r[_INPUT_HEIGHT]
    stride = r[_STRIDE_HEIGHT]
    row_bytes = r[_INPUT_WIDTH] * channels
    plane = scratch + _PLANE
    plane_row = across * (channels + 15 & -16)
    left = r[_PADDING_WIDTH]
    inside = across - left
    if inside > r[_INPUT_WIDTH]:
        inside = r[_INPUT_WIDTH]
    k = r[_INPUT_ZERO_POINT] & 0xFF
    k = k + (k << 8)
    p[_P_FILL] = k + (k << 16)
    p[_P_CHANNELS] = channels
    p[_P_BLOCK_STEP] = 16 * across
    p[_P_PLANE] = plane
    p[_P_PLANE_ROW] = plane_row
    p[_P_STREAM] = r[_STREAM] >> 2
    p[_P_WIDTH] = r[_OUTPUT_WIDTH]
    p[_P_PIXEL_STEP] = 16 * r[_STRIDE_WIDTH]
    p[_P_OUTPUT_STEP] = channels
    p[_P_OUTPUT] = (r[_OUTPUT] >> 2) + start * r[_OUTPUT_WIDTH] * channels
    row = start
    while row < stop:
        batch = row // r[_OUTPUT_HEIGHT]
        y = row - batch * r[_OUTPUT_HEIGHT]
        kept = 3 - stride
        if kept < 0 or row == start or y == 0:
            kept = 0
        p[_P_MOVED_FROM] = plane + stride * plane_row
        p[_P_MOVED_BYTES] = kept * plane_row
        y = y * stride - r[_PADDING_HEIGHT] + kept
        source = (r[_INPUT] >> 2) + (batch * height + y) * row_bytes
        while kept < 3:
            p[_P_ROW] = plane + kept * plane_row
            p[_P_SOURCE] = source
            p[_P_LEFT] = across
            p[_P_COLUMNS] = 0
            p[_P_RIGHT] = 0
            if y >= 0 and y < height:
                p[_P_LEFT] = left
                p[_P_COLUMNS] = inside
                p[_P_RIGHT] = across - left - inside
            load_row(arena, scratch, image_memory)
            p[_P_MOVED_BYTES] = 0
            source += row_bytes
            y += 1
            kept += 1
        multiply_row(arena, scratch, stream_memory)
        p[_P_OUTPUT] = p[_P_OUTPUT] + r[_OUTPUT_WIDTH] * channels
        row += 1
