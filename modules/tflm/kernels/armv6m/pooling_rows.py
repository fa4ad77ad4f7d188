# tflm: pooling of a whole feature map in banded execution, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.pooling_rows_asm import add_cells, largest_of_cells

_INPUT = const(1)
_OUTPUT = const(2)
_WIDTH = const(3)
_DEPTH = const(4)
_INITIAL = const(5)
_MAXIMUM = const(6)
_BEGINS = const(7)


# Units are rows of the input. The cells of a row are added to each channel's int32, or update its
# maximum.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    channels = r[_DEPTH]
    width = r[_WIDTH]
    word = r[_INPUT]
    source = (int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start * width * channels
    sums = ptr32(base + (r[_OUTPUT] >> 2))
    if r[_BEGINS] and not start:
        k = 0
        while k < channels:
            sums[k] = r[_INITIAL]
            k += 1
    if r[_MAXIMUM]:
        largest_of_cells(source, int(sums), (stop - start) * width, channels)
    else:
        add_cells(source, int(sums), (stop - start) * width, channels)
