# tflm: CONV_2D, int8, with weights as halfwords (prepare/dsp.py): for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.conv_asm import gather, multiply

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
_PIXEL_STEP = const(15)
_RUN = const(16)
_WINDOW = const(17)
_BLOCK_PIXELS = const(18)
_INPUT_ZERO_POINT = const(19)
_OUTPUT_ZERO_POINT = const(20)
_ACTIVATION_MIN = const(21)
_ACTIVATION_MAX = const(22)
_LANES = const(128)  # offset of the lanes in the scratch buffer, after the parameters

# Words of the parameters of gather() and multiply(); see tools/asm/kernels/conv_dsp.py.
_G_SOURCE = const(0)
_G_LANES = const(1)
_G_PAIRS = const(2)
_G_PIXEL_STEP = const(3)
_G_PAIR_STEP = const(4)
_G_RUN = const(5)
_G_ROW_STEP = const(6)
_G_ABOVE = const(7)
_G_ROWS = const(8)
_G_BELOW = const(9)
_G_AT = const(10)
_G_LAST = const(11)
_G_ROW_BYTES = const(12)
_G_FILL = const(13)
_G_FILL_BYTES = const(14)
_G_IS_WHOLE = const(15)
_G_WINDOW = const(16)
_G_SPARE = const(17)
_M_STREAM = const(18)
_M_LANES = const(19)
_M_OUTPUT = const(20)
_M_LANES_END = const(21)
_M_GROUPS = const(22)
_M_OUTPUT_STEP = const(23)
_M_SKIPPED = const(24)
_M_WEIGHTS = const(25)
_M_ZERO_POINT = const(26)
_M_CLAMPED = const(27)
_M_MINIMUM = const(28)
_M_MAXIMUM = const(29)


# Units are rows of the output.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    _rows(op, arena, rom, start, stop, 0, int(ptr32(op)[_OUTPUT_WIDTH]))


# Units are pixels of the only row.
@micropython.viper
def eval_pixels_int8(op, arena, rom, start: int, stop: int):
    _rows(op, arena, rom, 0, 1, start, stop)


# Pixels first..stop-1 of rows row..last-1. The inputs of a block of pixels are unpacked to lanes
# once, then every group of four channels reads them. A last pixel without a partner forms a pair
# with itself.
@micropython.viper
def _rows(op, arena, rom, row: int, last: int, first: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_STREAM]
    stream = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    p = ptr32(base + (r[_SCRATCH] >> 2))
    channels = r[_OUTPUT_CHANNELS]
    groups = channels >> 2
    rest = channels & 3
    window = r[_WINDOW]
    lanes = int(p) + _LANES
    spare = lanes + 2 * window * r[_BLOCK_PIXELS]
    row_bytes = r[_ROW_BYTES]
    k = r[_INPUT_ZERO_POINT]
    p[_G_FILL] = (k & 0xFFFF) + (k << 16)
    k = k & 0xFF
    k += k << 8
    p[_G_FILL_BYTES] = k + (k << 16)
    p[_G_LANES] = lanes
    p[_G_SPARE] = spare
    p[_G_RUN] = r[_RUN]
    p[_G_ROW_STEP] = r[_DILATION_HEIGHT] * row_bytes
    p[_G_ROW_BYTES] = row_bytes
    p[_G_WINDOW] = window
    p[_G_LAST] = row_bytes - r[_RUN]
    p[_G_IS_WHOLE] = 0
    if r[_RUN] & 3 == 0 and row_bytes >= r[_RUN]:
        p[_G_IS_WHOLE] = 1
    # A pass of the loop has 16 words of lanes, 52 bytes of code each.
    p[_M_SKIPPED] = ((0 - (window >> 1)) & 15) * 52
    p[_M_WEIGHTS] = 8 * window
    p[_M_LANES] = lanes
    p[_M_ZERO_POINT] = r[_OUTPUT_ZERO_POINT]
    low = r[_ACTIVATION_MIN]
    high = r[_ACTIVATION_MAX]
    p[_M_CLAMPED] = low + 128 | high - 127
    low = low & 0xFF
    high = high & 0xFF
    low += low << 8
    high += high << 8
    p[_M_MINIMUM] = low + (low << 16)
    p[_M_MAXIMUM] = high + (high << 16)
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    out = base + (r[_OUTPUT] >> 2) + (row * r[_OUTPUT_WIDTH] + first) * channels
    while row < last:
        # Rows of the filter above the image, in the image and below it.
        k = row // r[_OUTPUT_HEIGHT]
        y = (row - k * r[_OUTPUT_HEIGHT]) * r[_STRIDE_HEIGHT] - r[_PADDING_HEIGHT]
        line = source + k * r[_INPUT_HEIGHT] * row_bytes
        rows = r[_FILTER_HEIGHT]
        k = 0
        while rows and y < 0:
            y += r[_DILATION_HEIGHT]
            rows -= 1
            k += r[_RUN]
        p[_G_ABOVE] = k
        line += y * row_bytes
        k = 0
        while rows and y < r[_INPUT_HEIGHT]:
            y += r[_DILATION_HEIGHT]
            rows -= 1
            k += 1
        p[_G_ROWS] = k
        p[_G_BELOW] = rows * r[_RUN]
        pixel = first
        while pixel < stop:
            n = stop - pixel
            if n > r[_BLOCK_PIXELS]:
                n = r[_BLOCK_PIXELS]
            pixel_step = r[_PIXEL_STEP]
            output_step = channels
            pairs = n >> 1
            if n == 1:
                pixel_step = 0
                output_step = 0
                pairs = 1
            else:
                n = 2 * pairs
            at = pixel * r[_PIXEL_STEP] - r[_PADDING_BYTES]
            p[_G_SOURCE] = line + at
            p[_G_AT] = at
            p[_G_PAIRS] = pairs
            p[_G_PIXEL_STEP] = pixel_step
            p[_G_PAIR_STEP] = 2 * pixel_step
            gather(int(p))
            p[_M_LANES_END] = lanes + 4 * window * pairs
            if groups:
                p[_M_STREAM] = stream
                p[_M_OUTPUT] = out
                p[_M_GROUPS] = groups
                p[_M_OUTPUT_STEP] = output_step
                multiply(int(p) + 4 * _M_STREAM)
            if rest:
                # The last, incomplete group is written to the spare memory first.
                p[_M_STREAM] = stream + groups * (52 + 8 * window)
                p[_M_OUTPUT] = spare
                p[_M_GROUPS] = 1
                p[_M_OUTPUT_STEP] = 4
                if n == 1:
                    p[_M_OUTPUT_STEP] = 0
                multiply(int(p) + 4 * _M_STREAM)
                to = ptr8(out + 4 * groups)
                from_ = ptr8(spare)
                k = n
                while k:
                    to[0] = from_[0]
                    if rest > 1:
                        to[1] = from_[1]
                    if rest > 2:
                        to[2] = from_[2]
                    to = ptr8(int(to) + channels)
                    from_ = ptr8(int(from_) + 4)
                    k -= 1
            out += n * channels
            pixel += n
        out += (r[_OUTPUT_WIDTH] - stop + first) * channels
        row += 1
