# tflm: CONV_2D, int8, with weights as vectors of 16 bytes (prepare/pie.py): blocks of pixels
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
_COLUMN_BYTES = const(17)
_IS_WHOLE = const(18)
_WINDOW_COLUMNS = const(19)
_PIXEL_COLUMNS = const(20)
_BLOCK_PIXELS = const(21)
_INPUT_ZERO_POINT = const(22)
_OUTPUT_ZERO_POINT = const(23)
_ACTIVATION_MIN = const(24)
_ACTIVATION_MAX = const(25)
_INPUTS = const(128)  # offset of the inputs in the scratch buffer, after the parameters

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
_M_STREAM = const(16)
_M_INPUTS = const(17)
_M_OUTPUT = const(18)
_M_CHANNELS = const(19)
_M_PIXELS = const(20)
_M_ROWS = const(21)
_M_PIXEL_STEP = const(22)
_M_ROW_STEP = const(23)
_M_OUTPUT_STEP = const(24)
_M_WINDOW = const(25)
_M_OUTPUT_ZERO_POINT = const(26)
_M_ACTIVATION_MIN = const(27)
_M_ACTIVATION_MAX = const(28)


# Pixels first..stop-1 of rows row..last-1. The inputs of a block of pixels are copied to vectors
# in scratch memory once, then every channel reads them. `gather`, `gather_bytes` and `multiply`
# are called with (arena, offset of their parameters, the memory of image or stream). Addresses
# among their parameters are offsets in these two.
@micropython.viper
def run_blocks(
    op, arena, rom, row: int, last: int, first: int, stop: int, gather, gather_bytes, multiply
):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    p = ptr32(int(ptr8(arena)) + scratch)
    image_memory = rom if r[_INPUT] & 1 else arena
    stream_memory = rom if r[_STREAM] & 1 else arena
    source = r[_INPUT] >> 2
    channels = r[_OUTPUT_CHANNELS]
    column = r[_COLUMN_BYTES]
    window = column * r[_WINDOW_COLUMNS]
    step = column * r[_PIXEL_COLUMNS]
    inputs = scratch + _INPUTS
    row_bytes = r[_ROW_BYTES]
    is_whole = r[_IS_WHOLE]
    # A block is a part of a row, or some whole rows.
    block_rows = 1
    row_inputs = (r[_BLOCK_PIXELS] - 1) * step + window
    if r[_BLOCK_PIXELS] > r[_OUTPUT_WIDTH]:
        block_rows = r[_BLOCK_PIXELS] // r[_OUTPUT_WIDTH]
        row_inputs = (r[_OUTPUT_WIDTH] - 1) * step + window
    # Pixels of a row that touch each other, without padding, are one run.
    merged = 0
    if is_whole and r[_RUN] == r[_COLUMN_STEP] and r[_RUN] == column:
        if r[_WINDOW_COLUMNS] == 1 and row_bytes == r[_OUTPUT_WIDTH] * column:
            merged = column
    k = r[_INPUT_ZERO_POINT] & 0xFF
    k = k + (k << 8)
    p[_G_FILL] = k + (k << 16)
    p[_G_COLUMN_STEP] = r[_COLUMN_STEP]
    p[_G_RUN] = r[_RUN]
    p[_G_ROW_STEP] = r[_DILATION_HEIGHT] * row_bytes
    p[_G_LAST] = row_bytes - r[_RUN]
    p[_G_ROW_BYTES] = row_bytes
    p[_G_COLUMN_BYTES] = column
    p[_M_STREAM] = r[_STREAM] >> 2
    p[_M_INPUTS] = inputs
    p[_M_CHANNELS] = channels
    p[_M_PIXEL_STEP] = step
    p[_M_ROW_STEP] = row_inputs
    p[_M_OUTPUT_STEP] = channels
    p[_M_WINDOW] = window
    p[_M_OUTPUT_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    p[_M_ACTIVATION_MIN] = r[_ACTIVATION_MIN]
    p[_M_ACTIVATION_MAX] = r[_ACTIVATION_MAX]
    out = (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + first) * channels
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
                p[_G_LANES] = inputs + rows * row_inputs
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
            p[_M_PIXELS] = n
            p[_M_OUTPUT] = out
            multiply(arena, scratch + 4 * _M_STREAM, stream_memory)
            pixel += n
            out += n * rows * channels
        out += (r[_OUTPUT_WIDTH] - stop + first) * channels
        row += rows
