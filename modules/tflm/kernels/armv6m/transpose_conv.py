# tflm: TRANSPOSE_CONV, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..requantize import store_int8
from ..transpose_conv import pixels
from .gen.transpose_conv_asm import store_sums, sums_of_cells

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_REQUANTIZE = const(6)
_INPUT_HEIGHT = const(7)
_INPUT_WIDTH = const(8)
_INPUT_CHANNELS = const(9)
_OUTPUT_HEIGHT = const(10)
_OUTPUT_WIDTH = const(11)
_OUTPUT_CHANNELS = const(12)
_FILTER_HEIGHT = const(13)
_FILTER_WIDTH = const(14)
_STRIDE_HEIGHT = const(15)
_STRIDE_WIDTH = const(16)
_PADDING_HEIGHT = const(17)
_PADDING_WIDTH = const(18)
_OFFSETS = const(20)

_BLOCK = const(64)  # sums that fit the scratch buffer
# Channels of an input pixel: six words are read at the end of that number of sums.
_MIN_DEPTH = const(8)
_MAX_ROW = const(1 << 14)

# Words of the REQUANTIZE block.
_PER_CHANNEL = const(3)
_CHANNELS = const(4)
_TABLE = const(5)


# Whether store_sums() supports a REQUANTIZE block: no multiplier is above 1.
@micropython.viper
def _is_plain(block: ptr32) -> int:
    channels = block[_CHANNELS]
    shifts = ptr8(int(block) + 4 * (_TABLE + channels))
    while channels:
        channels -= 1
        if shifts[channels] > 32:
            return 0
    return block[_PER_CHANNEL]


# Units are pixels of the output. As in the portable transpose_conv.py, an output pixel gathers
# from some columns of some rows of the input, each with its cell of the filter. From one output
# pixel to the next, the first input column advances by one if its cell would be outside of the
# filter.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_INPUT_CHANNELS]
    if depth < _MIN_DEPTH or depth >= _MAX_ROW:
        pixels(op, arena, rom, start, stop)
        return
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT]
    image = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    word = r[_REQUANTIZE]
    memory = rom if word & 1 else arena
    block = (flash if word & 1 else base) + (word >> 2)
    is_plain = int(_is_plain(block))
    word = r[_BIAS]
    biases = (flash if word & 1 else base) + (word >> 2)
    scratch = r[_SCRATCH] >> 2
    channels = r[_OUTPUT_CHANNELS]
    width = r[_INPUT_WIDTH]
    filter_width = r[_FILTER_WIDTH]
    filter_height = r[_FILTER_HEIGHT]
    stride = r[_STRIDE_WIDTH]
    filter_size = filter_height * filter_width * depth
    lengths = depth << 16 | (r[_OFFSETS] & 0xFFFF) + 128
    out = base + (r[_OUTPUT] >> 2) + start * channels
    run = sums_of_cells  # both are looked up once
    store = store_sums
    y = start // r[_OUTPUT_WIDTH]
    x = start - y * r[_OUTPUT_WIDTH]
    batch = y // r[_OUTPUT_HEIGHT]
    y -= batch * r[_OUTPUT_HEIGHT]
    while start < stop:
        row = batch * r[_INPUT_HEIGHT]
        cell_y = y + r[_PADDING_HEIGHT]
        most = r[_INPUT_HEIGHT]
        while cell_y >= filter_height:
            cell_y -= r[_STRIDE_HEIGHT]
            row += 1
            most -= 1
        lines = 0
        n = cell_y
        while n >= 0 and lines < most:
            n -= r[_STRIDE_HEIGHT]
            lines += 1
        left = 0
        cell_x = x + r[_PADDING_WIDTH]
        while cell_x >= filter_width:
            cell_x -= stride
            left += 1
        while start < stop and x < r[_OUTPUT_WIDTH]:
            cells = 0
            n = cell_x
            while n >= 0 and left + cells < width:
                n -= stride
                cells += 1
            channel = 0
            while channel < channels:
                count = channels - channel
                if count > _BLOCK:
                    count = _BLOCK
                p = ptr32(base + scratch)
                n = count
                if word == 1:
                    while n:
                        p[0] = 0
                        p = ptr32(int(p) + 4)
                        n -= 1
                else:
                    b = ptr32(biases + 4 * channel)
                    while n:
                        p[0] = b[0]
                        p = ptr32(int(p) + 4)
                        b = ptr32(int(b) + 4)
                        n -= 1
                if cells and lines:
                    p[0] = filter_size
                    p[1] = cells
                    p[2] = stride * depth
                    p[3] = lines
                    p[4] = r[_STRIDE_HEIGHT] * filter_width * depth
                    p[5] = width * depth
                    run(
                        weights + channel * filter_size
                        + (cell_y * filter_width + cell_x) * depth,
                        image + (row * width + left) * depth,
                        base + scratch,
                        lengths | count << 9,
                    )  # fmt: skip
                if is_plain:
                    store(base + scratch, out, block, count | channel << 7)
                else:
                    store_int8(
                        memory, arena, block - int(ptr8(memory)) >> 2, scratch, out - base,
                        channel, count,
                    )  # fmt: skip
                out += count
                channel += count
            start += 1
            x += 1
            cell_x += 1
            if cell_x >= filter_width:
                cell_x -= stride
                left += 1
        x = 0
        y += 1
        if y == r[_OUTPUT_HEIGHT]:
            y = 0
            batch += 1
