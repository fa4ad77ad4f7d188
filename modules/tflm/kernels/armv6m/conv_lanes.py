# tflm: CONV_2D, int8, with weights in lanes (prepare/lanes.py): for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.lanes_asm import gather, gather_bytes, multiply

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

# Words of the parameters of gather() and multiply(); see tools/asm/common/parameters.py.
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


# Units are rows of the output.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    _rows(op, arena, 0, rom, start, stop, 0, int(ptr32(op)[_OUTPUT_WIDTH]))


# Units are pixels of the only row.
@micropython.viper
def eval_pixels_int8(op, arena, rom, start, stop):
    _rows(op, arena, 0, rom, 0, 1, start, stop)


# Pixels first..stop-1 of rows row..last-1. The inputs of a block of pixels are unpacked to lanes
# once, then every group of four channels reads them; the activations stay int8 in the arena. `p`
# is the arena, then the parameters. `p`, `r` and `k` come first because the first locals are in
# registers. Functions are looked up once, because blocks are small when memory is short.
@micropython.viper
def _rows(r: ptr32, p: ptr32, k: int, rom, row: int, last: int, first: int, stop: int):
    base = int(p)
    flash = int(ptr8(rom))
    word = r[_STREAM]
    stream = (flash if word & 1 else base) + (word >> 2)
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    p = ptr32(base + (r[_SCRATCH] >> 2))
    out_step = r[_OUTPUT_STEP]
    groups = r[_OUTPUT_CHANNELS] >> 2
    rest = r[_OUTPUT_CHANNELS] & 3
    column = 2 * r[_COLUMN_LANES]
    window = column * r[_WINDOW_COLUMNS]
    step = column * r[_PIXEL_COLUMNS]
    lanes = int(p) + _LANES
    # A block is a part of a row, or some whole rows.
    block = r[_BLOCK_PIXELS]
    block_rows = 1
    row_lanes = (block - 1) * step + window
    if block > r[_OUTPUT_WIDTH]:
        block_rows = block // r[_OUTPUT_WIDTH]
        row_lanes = (r[_OUTPUT_WIDTH] - 1) * step + window
    spare = lanes + block_rows * row_lanes
    rest_stream = stream + groups * (64 + 2 * r[_WEIGHT_BYTES] * window)
    row_bytes = r[_ROW_BYTES]
    image = r[_INPUT_HEIGHT] * row_bytes
    to_lanes = gather if r[_IS_WHOLE] else gather_bytes
    run = multiply
    # Pixels of a row that touch each other, without padding, are one run.
    merged = 0
    if r[_IS_WHOLE] and r[_RUN] == r[_COLUMN_STEP] and r[_RUN] == r[_COLUMN_LANES]:
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
    p[_M_SOURCE] = 0
    p[_M_GROUP] = 0
    if r[_WEIGHT_BYTES] == 1:
        # After the spare memory.
        k = 4 * block
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
    p[_M_STREAM] = stream
    p[_M_GROUPS] = groups
    p[_M_OUTPUT_STEP] = out_step
    parameters = int(p) + 4 * _M_STREAM
    out = base + (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + first) * out_step
    k = row // r[_OUTPUT_HEIGHT]
    next_y = row - k * r[_OUTPUT_HEIGHT]
    next_source = source + k * image
    if merged and not rest and r[_OUTPUT_HEIGHT] == 1 and last - row == 1:
        # multiply() itself unpacks one block after the other.
        p[_M_SOURCE] = next_source + first * merged
        p[_M_SOURCE_END] = next_source + stop * merged
        p[_M_LANES_END] = spare
        p[_M_OUTPUT] = out
        p[_M_ROWS] = 1
        run(parameters)
        row = last
    while row < last:
        rows = last - row
        if rows > block_rows:
            rows = block_rows
        first_y = next_y
        source = next_source
        pixel = first
        while pixel < stop:
            n = stop - pixel
            if n > block:
                n = block
            at = pixel * r[_PIXEL_COLUMNS] * r[_COLUMN_STEP] - r[_PADDING_BYTES]
            p[_G_AT] = at
            if merged:
                p[_G_COLUMNS] = 1
                p[_G_RUN] = n * merged
            else:
                p[_G_COLUMNS] = (n - 1) * r[_PIXEL_COLUMNS] + r[_WINDOW_COLUMNS]
            p[_M_ROWS] = rows
            p[_G_LANES] = lanes
            next_y = first_y
            next_source = source
            while rows:
                # Rows of the filter above the image, in the image and below it.
                in_y = next_y * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
                inside = r[_FILTER_HEIGHT]
                k = 0
                while inside and in_y < 0:
                    in_y += r[_DILATION_HEIGHT]
                    inside -= 1
                    k += 1
                p[_G_ROWS_ABOVE] = k
                p[_G_SOURCE] = next_source + in_y * row_bytes + at
                in_y += (inside - 1) * r[_DILATION_HEIGHT]
                k = 0
                while inside and in_y >= r[_INPUT_HEIGHT]:
                    in_y -= r[_DILATION_HEIGHT]
                    inside -= 1
                    k += 1
                p[_G_ROWS] = inside
                p[_G_ROWS_BELOW] = k
                to_lanes(int(p))
                p[_G_LANES] = p[_G_LANES] + row_lanes
                rows -= 1
                next_y += 1
                if next_y == r[_OUTPUT_HEIGHT]:
                    next_y = 0
                    next_source += image
            rows = p[_M_ROWS]
            p[_M_LANES_END] = lanes + n * step
            if groups:
                p[_M_OUTPUT] = out
                run(parameters)
            pixel += n
            n *= rows
            if rest:
                # The last, incomplete group is written to the spare memory first.
                p[_M_STREAM] = rest_stream
                p[_M_OUTPUT] = spare
                p[_M_GROUPS] = 1
                p[_M_OUTPUT_STEP] = 4
                run(parameters)
                p[_M_STREAM] = stream
                p[_M_GROUPS] = groups
                p[_M_OUTPUT_STEP] = out_step
                to = ptr8(out + 4 * groups)
                k = 0
                while k < n:
                    from_ = ptr8(spare + 4 * k)
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
