# tflm: RESIZE_BILINEAR, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..resize_bilinear_float import find_positions
from .gen.resize_bilinear_float_asm import blend

_INPUT = const(1)
_OUTPUT = const(2)
_SCRATCH = const(3)
_OUTPUT_HEIGHT = const(4)
_OUTPUT_WIDTH = const(5)
_INPUT_HEIGHT = const(6)
_INPUT_WIDTH = const(7)
_DEPTH = const(8)


# Units are output pixels. The assembler computes the pixels of a row; its parameters are stored
# after the positions.
@micropython.viper
def eval_rows(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    height = r[_OUTPUT_HEIGHT]
    width = r[_OUTPUT_WIDTH]
    scratch = r[_SCRATCH]
    first = start // width
    lines = (stop - 1) // width - first + 1
    first -= first // height * height
    if first + lines > height:
        first = 0
        lines = height
    columns = scratch + (4 * height << 4)
    parameters = columns + (4 * width << 4) >> 2
    find_positions(op, arena, 0, first, lines, scratch)
    find_positions(op, arena, 1, 0, width, columns)
    rows = ptr32(base + (scratch >> 2))
    p = ptr32(base + parameters)
    pixel = 4 * r[_DEPTH]
    line = pixel * r[_INPUT_WIDTH]
    out = base + (r[_OUTPUT] >> 2) + start * pixel
    while start < stop:
        y = start // width
        x = start - y * width
        batch = y // height
        y -= batch * height + first
        count = width - x
        if count > stop - start:
            count = stop - start
        image = source + batch * r[_INPUT_HEIGHT] * line
        p[0] = out
        p[1] = image + rows[2 * lines + y] * line
        p[2] = image + rows[3 * lines + y] * line
        p[3] = base + (columns >> 2) + 4 * x
        p[4] = 4 * width
        p[5] = count
        p[6] = r[_DEPTH]
        p[7] = rows[y]
        p[8] = rows[lines + y]
        blend(op, arena, rom, parameters)
        out += count * pixel
        start += count
