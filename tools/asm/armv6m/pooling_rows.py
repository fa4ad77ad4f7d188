# Generator of the assembler kernels that pool a whole feature map, some rows at a time
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, Thumb
from .pooling import add_cell, larger_cell

_CELLS = """
{} of some cells, for each channel. `r0` is the address of the first cell, `r1` of the first
channel's int32, of bytes whose top bit is flipped. `r2`: cells, `r3`: channels.
"""


# r0: one cell before the next one; r1: sum or maximum; r2: a value; r3: cells left; r4: the
# channel's int32; r5: the sum of the flipped bits; r6: channels left; r7: bytes between two cells;
# r8: one cell before the channel's first one; r9: number of cells.
def _cells(t, begin, cell, end):
    channel, even, pair, done = map(t.new_label, ("channel", "even", "pair", "done"))
    t.mov(R4, R1)
    t.mov(R9, R2)
    t.lsl(R5, R2, 7)
    t.mov(R6, R3)
    t.mov(R7, R3)
    t.sub(R0, R7)
    t.mov(R8, R0)
    t.label(channel)
    t.mov(R0, R8)
    t.ldr(R1, R4)
    begin(t)
    t.mov(R3, R9)
    t.lsr(R3, R3, 1)
    t.branch("cc", even)
    cell(t)
    t.cmp(R3, 0)
    t.label(even)
    t.branch("eq", done)
    t.label(pair)
    cell(t)
    cell(t)
    t.sub(R3, 1)
    t.branch("ne", pair)
    t.label(done)
    end(t)
    t.stm(R4, R1)
    t.mov(R2, 1)
    t.add(R8, R2)
    t.sub(R6, 1)
    t.branch("ne", channel)
    return t.text()


def add_cells():
    t = Thumb("add_cells", _CELLS.format("Sums"), arguments=4)
    return _cells(t, lambda t: None, add_cell, lambda t: t.add(R1, R5))


def largest_of_cells():
    t = Thumb("largest_of_cells", _CELLS.format("Maxima"), arguments=4)
    return _cells(t, lambda t: t.sub(R1, 128), larger_cell, lambda t: t.add(R1, 128))
