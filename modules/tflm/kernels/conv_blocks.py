# tflm: CONV_2D, int8, with weights in lanes (prepare/lanes.py): blocks of pixels
# MIT license; Copyright (c) 2026 the tflm authors

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_INPUT_HEIGHT = const(5)
_ROW_BYTES = const(6)
_OUTPUT_HEIGHT = const(7)
_OUTPUT_WIDTH = const(8)
_OUTPUT_CHANNELS = const(9)
_FILTER_HEIGHT = const(10)
_STRIDE_HEIGHT = const(11)
_DILATION_HEIGHT = const(12)
_PADDING_HEIGHT = const(13)
_PADDING_BYTES = const(14)
_COLUMN_STEP = const(15)
_RUN = const(16)
_COLUMN_LANES = const(17)
_IS_WHOLE = const(18)
_WINDOW_COLUMNS = const(19)
_PIXEL_COLUMNS = const(20)
_BLOCK_PIXELS = const(21)
_INPUT_ZERO_POINT = const(22)
_WEIGHT_BYTES = const(23)
_OUTPUT_STEP = const(24)
_OUTPUT_ZERO_POINT = const(25)
_ACTIVATION_MIN = const(26)
_ACTIVATION_MAX = const(27)
_LANES = const(128)  # offset of the lanes in the scratch buffer, after the parameters

# Words of the parameters of gather() and multiply(); see tools/asm/kernels/parameters.py.
_G_SOURCE = const(0)
_G_LANES = const(1)
_G_COLUMNS = const(2)
_G_COLUMN_STEP = const(3)
_G_RUN = const(4)
_G_ROW_STEP = const(5)
_G_ROWS_ABOVE = const(6)
_G_ROWS = const(7)
_G_ROWS_BELOW = const(8)
_G_AT = const(9)
_G_LAST = const(10)
_G_FILL = const(11)
_G_ROW_BYTES = const(12)
_G_COLUMN_BYTES = const(13)
_G_SPARE = const(14)
_M_STREAM = const(16)
_M_LANES = const(17)
_M_OUTPUT = const(18)
_M_LANES_END = const(19)
_M_GROUPS = const(20)
_M_LANES_STEP = const(21)
_M_OUTPUT_STEP = const(22)
_M_WINDOW = const(23)
_M_OUTPUT_ZERO_POINT = const(24)
_M_ACTIVATION_MIN = const(25)
_M_ACTIVATION_MAX = const(26)
_M_GROUP = const(27)
_M_ROWS = const(28)
_M_ROW_STEP = const(29)
_M_SOURCE = const(30)
_M_SOURCE_END = const(31)


# Pixels first..stop-1 of rows row..last-1. The inputs of a block of pixels are unpacked to lanes
# once, then every group of four channels reads them; the activations stay int8 in the arena.
# `gather`, `gather_bytes` and `multiply` are called with (arena, offset of their parameters, the
# memory of image or stream). Addresses among their parameters are offsets in these two. `unpacks`:
# multiply() can also unpack pixels, without padding, of an image in the arena.
@micropython.viper
def run_blocks(
    op,
    arena,
    rom,
    row: int,
    last: int,
    first: int,
    stop: int,
    gather,
    gather_bytes,
    multiply,
    unpacks: int,
):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    base = int(ptr8(arena))
    p = ptr32(base + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    source = r[_INPUT] >> 2
    stream = r[_STREAM] >> 2
    out_step = r[_OUTPUT_STEP]
    groups = r[_OUTPUT_CHANNELS] >> 2
    rest = r[_OUTPUT_CHANNELS] & 3
    column = 2 * r[_COLUMN_LANES]
    window = column * r[_WINDOW_COLUMNS]
    step = column * r[_PIXEL_COLUMNS]
    lanes = scratch + _LANES
    # A block is a part of a row, or some whole rows.
    block_rows = 1
    row_lanes = (r[_BLOCK_PIXELS] - 1) * step + window
    if r[_BLOCK_PIXELS] > r[_OUTPUT_WIDTH]:
        block_rows = r[_BLOCK_PIXELS] // r[_OUTPUT_WIDTH]
        row_lanes = (r[_OUTPUT_WIDTH] - 1) * step + window
    spare = lanes + block_rows * row_lanes
    rest_stream = stream + groups * (64 + 2 * r[_WEIGHT_BYTES] * window)
    row_bytes = r[_ROW_BYTES]
    is_whole = r[_IS_WHOLE]
    # Pixels of a row that touch each other, without padding, are one run.
    merged = 0
    if is_whole and r[_RUN] == r[_COLUMN_STEP] and r[_RUN] == r[_COLUMN_LANES]:
        if r[_WINDOW_COLUMNS] == 1 and row_bytes == r[_OUTPUT_WIDTH] * r[_COLUMN_STEP]:
            merged = r[_RUN]
    p[_G_COLUMN_STEP] = r[_COLUMN_STEP]
    p[_G_RUN] = r[_RUN]
    p[_G_ROW_STEP] = r[_DILATION_HEIGHT] * row_bytes
    p[_G_LAST] = row_bytes - r[_RUN]
    p[_G_FILL] = r[_INPUT_ZERO_POINT] + (r[_INPUT_ZERO_POINT] << 16)
    p[_G_ROW_BYTES] = row_bytes
    p[_G_COLUMN_BYTES] = r[_COLUMN_LANES]
    p[_G_SPARE] = spare
    p[_M_GROUP] = 0
    if r[_WEIGHT_BYTES] == 1:
        # After the spare memory.
        k = 4 * r[_BLOCK_PIXELS]
        if k < r[_COLUMN_LANES]:
            k = r[_COLUMN_LANES]
        p[_M_GROUP] = spare + k
    p[_M_LANES] = lanes
    p[_M_LANES_STEP] = step
    p[_M_WINDOW] = window
    p[_M_ROW_STEP] = row_lanes
    p[_M_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_M_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_M_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    p[_M_SOURCE_END] = 0
    out = (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + first) * out_step
    if unpacks and merged and not rest and not r[_INPUT] & 1 and r[_OUTPUT_HEIGHT] == 1:
        if last - row == 1:
            source += row * r[_INPUT_HEIGHT] * row_bytes
            p[_M_SOURCE] = source + first * merged
            p[_M_SOURCE_END] = source + stop * merged
            p[_M_LANES_END] = spare
            p[_M_STREAM] = stream
            p[_M_OUTPUT] = out
            p[_M_GROUPS] = groups
            p[_M_OUTPUT_STEP] = out_step
            p[_M_ROWS] = 1
            multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
            row = last
    while row < last:
        rows = last - row
        if rows > block_rows:
            rows = block_rows
        pixel = first
        while pixel < stop:
            n = stop - pixel
            if n > r[_BLOCK_PIXELS]:
                n = r[_BLOCK_PIXELS]
            at = pixel * r[_PIXEL_COLUMNS] * r[_COLUMN_STEP] - r[_PADDING_BYTES]
            p[_G_COLUMNS] = (n - 1) * r[_PIXEL_COLUMNS] + r[_WINDOW_COLUMNS]
            if merged:
                p[_G_COLUMNS] = 1
                p[_G_RUN] = n * merged
            p[_M_ROWS] = rows
            while rows:
                rows -= 1
                p[_G_AT] = at
                p[_G_LANES] = lanes + rows * row_lanes
                batch = (row + rows) // r[_OUTPUT_HEIGHT]
                # Rows of the filter above the image, in the image and below it.
                in_y = (row + rows - batch * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT]
                in_y -= r[_PADDING_HEIGHT]
                inside = r[_FILTER_HEIGHT]
                k = 0
                while inside and in_y < 0:
                    in_y += r[_DILATION_HEIGHT]
                    inside -= 1
                    k += 1
                p[_G_ROWS_ABOVE] = k
                p[_G_SOURCE] = source + (batch * r[_INPUT_HEIGHT] + in_y) * row_bytes + at
                in_y += (inside - 1) * r[_DILATION_HEIGHT]
                k = 0
                while inside and in_y >= r[_INPUT_HEIGHT]:
                    in_y -= r[_DILATION_HEIGHT]
                    inside -= 1
                    k += 1
                p[_G_ROWS] = inside
                p[_G_ROWS_BELOW] = k
                if is_whole:
                    gather(arena, scratch, image_memory)
                else:
                    gather_bytes(arena, scratch, image_memory)
            rows = p[_M_ROWS]
            p[_M_LANES_END] = lanes + n * step
            if groups:
                p[_M_STREAM] = stream
                p[_M_OUTPUT] = out
                p[_M_GROUPS] = groups
                p[_M_OUTPUT_STEP] = out_step
                multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
            pixel += n
            n *= rows
            if rest:
                # The last, incomplete group is written to the spare memory first.
                p[_M_STREAM] = rest_stream
                p[_M_OUTPUT] = spare
                p[_M_GROUPS] = 1
                p[_M_OUTPUT_STEP] = 4
                multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
                to = ptr8(base + out + 4 * groups)
                k = 0
                while k < n:
                    from_ = ptr8(base + spare + 4 * k)
                    to[0] = from_[0]
                    if rest > 1:
                        to[1] = from_[1]
                    if rest > 2:
                        to[2] = from_[2]
                    to = ptr8(int(to) + out_step)
                    k += 1
            out += n * out_step
        out += (r[_OUTPUT_WIDTH] - stop + first) * out_step
        row += rows
