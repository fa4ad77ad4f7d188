# tflm: FULLY_CONNECTED, int8, in banded execution: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_bands import add_rows, begin
from .gen.matrix_asm import dot

_INPUT = const(1)
_OUTPUT = const(2)
_WEIGHTS = const(3)
_DEPTH = const(6)
_FIRST = const(7)
_COUNT = const(8)
_INPUT_OFFSET = const(9)
_WEIGHTS_OFFSET = const(10)

_SYMMETRIC = const(128)  # weights without a zero point
_MAX_ROW = const(1 << 14)  # elements of a row for dot()


# Units are output channels, an int32 each, computed by dot() of tools/asm/kernels/matrix_rows.py.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    begin(op, arena, rom, start, stop)
    r = ptr32(op)
    count = r[_COUNT]
    if count >= _MAX_ROW or r[_WEIGHTS_OFFSET] != _SYMMETRIC:
        add_rows(0, 0, 0, op, arena, rom, start, stop)
        return
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    depth = r[_DEPTH]
    weights = (flash if word & 1 else base) + (word >> 2) + start * depth + r[_FIRST]
    sums = base + (r[_OUTPUT] >> 2) + 4 * start
    lengths = count << 16 | 1 << 9 | r[_INPUT_OFFSET] + 128
    while start < stop:
        dot(weights, source, sums, lengths)
        weights += depth
        sums += 4
        start += 1
