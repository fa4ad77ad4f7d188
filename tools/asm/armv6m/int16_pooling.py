# Generator of the assembler kernel of AVERAGE_POOL_2D and MAX_POOL_2D, int16, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling import POOLING

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, Thumb
from ..common.thumb_record import address, at, division

_ABOUT = """
Rows of AVERAGE_POOL_2D or MAX_POOL_2D, int16. `r0` is the address of the record (POOLING in
prepare/pooling.py), `r1` of the arena, `r2` of the model. `r3` is the first row of the output *
1024 + the number of rows; if negative, the complement of the only row.
"""

_SLOTS = (
    "record",
    "input",
    "output",  # of the next output
    "left",  # rows of the output
    "y",
    "batch",
    "rows",  # of the window in the image
    "line",  # address of the first of these rows
    "column",  # of the image where the window begins; negative in the padding
    "columns_left",  # of the output
    "window",  # address of the first input of the channel
    "channels_left",
    "maximum",
    "cells",
    "shift",  # cells are 2 ** shift; negative: cells are not a power of two
    "low",
    "high",
)


# Clamp a window that begins at R0 to the image: R0 becomes its first row or column in the image,
# R1 the one after its last. r7: record. Uses R2.
def _clamp_window(t, side):
    inside, ready = map(t.new_label, ("inside", "clamped"))
    t.ldr(R1, R7, at(POOLING, "filter_" + side))
    t.add(R1, R0)
    t.ldr(R2, R7, at(POOLING, "input_" + side))
    t.cmp(R1, R2)
    t.branch("le", inside)
    t.mov(R1, R2)
    t.label(inside)
    t.cmp(R0, 0)
    t.branch("ge", ready)
    t.mov(R0, 0)
    t.label(ready)


# Find the rows of the window. r8: bytes of a pixel.
def _begin_row(t):
    t.load(R7, "record")
    t.load(R0, "y")
    t.ldr(R1, R7, at(POOLING, "stride_height"))
    t.mul(R0, R1)
    t.ldr(R1, R7, at(POOLING, "padding_height"))
    t.sub(R0, R1)
    _clamp_window(t, "height")
    t.sub(R1, R1, R0)
    t.store(R1, "rows")
    t.load(R1, "batch")
    t.mul(R1, R2)
    t.add(R1, R0)
    t.ldr(R2, R7, at(POOLING, "input_width"))
    t.mul(R1, R2)
    t.mov(R2, R8)
    t.mul(R1, R2)
    t.load(R2, "input")
    t.add(R1, R2)
    t.store(R1, "line")
    t.ldr(R1, R7, at(POOLING, "padding_width"))
    t.two("neg", R1, R1)
    t.store(R1, "column")
    t.ldr(R1, R7, at(POOLING, "output_width"))
    t.store(R1, "columns_left")


# Find the columns of the window. r9: bytes of its rows, r10: bytes from their ends to the next
# row.
def _begin_pixel(t):
    same, double, ready = map(t.new_label, ("same", "double", "shift_known"))
    t.load(R7, "record")
    t.load(R0, "column")
    t.ldr(R1, R7, at(POOLING, "stride_width"))
    t.add(R1, R0)
    t.store(R1, "column")
    _clamp_window(t, "width")
    t.sub(R1, R1, R0)
    t.load(R3, "rows")
    t.mul(R3, R1)
    t.mov(R4, R8)
    t.mul(R2, R4)
    t.mul(R1, R4)
    t.mov(R9, R1)
    t.sub(R2, R2, R1)
    t.mov(R10, R2)
    t.mul(R0, R4)
    t.load(R1, "line")
    t.add(R0, R1)
    t.store(R0, "window")
    t.ldr(R0, R7, at(POOLING, "channels"))
    t.store(R0, "channels_left")
    t.load(R0, "cells")
    t.cmp(R0, R3)
    t.branch("eq", same)
    t.store(R3, "cells")
    t.mov(R0, 0)
    t.mov(R1, 1)
    t.label(double)
    t.cmp(R1, R3)
    t.branch("eq", ready)
    t.add(R0, 1)
    t.lsl(R1, R1, 1)
    t.cmp(R0, 31)
    t.branch("ne", double)
    t.two("mvn", R0, R0)
    t.label(ready)
    t.store(R0, "shift")
    t.label(same)


# Visit the cells of the window. r0: input; r1: largest input or sum; r2: 0; r3: an input; r6: end
# of a row; r7: rows.
def _cells(t, visit):
    cell = t.new_label("cell")
    t.load(R7, "rows")
    t.load(R0, "window")
    t.mov(R2, 0)
    t.mov(R6, R0)
    t.add(R6, R9)
    t.label(cell)
    t.ldrsh_at(R3, R0, R2)
    t.add(R0, R8)
    visit(t)
    t.cmp(R0, R6)
    t.branch("ne", cell)
    t.add(R0, R10)
    t.mov(R6, R0)
    t.add(R6, R9)
    t.sub(R7, 1)
    t.branch("ne", cell)


def _keep_larger(t):
    smaller = t.new_label("smaller")
    t.cmp(R3, R1)
    t.branch("le", smaller)
    t.mov(R1, R3)
    t.label(smaller)


# Divide the sum in R1 by the number of cells; halves are rounded away from zero.
def _average(t, divide):
    slow, ready = map(t.new_label, ("slow", "divided"))
    t.asr(R6, R1, 31)
    t.two("eor", R1, R6)
    t.sub(R0, R1, R6)
    t.load(R1, "cells")
    t.lsr(R2, R1, 1)
    t.add(R0, R2)
    t.load(R2, "shift")
    t.cmp(R2, 0)
    t.branch("lt", slow)
    t.lsr(R0, R0, R2)
    t.mov(R2, R0)
    t.b(ready)
    t.label(slow)
    t.bl(divide)
    t.label(ready)
    t.two("eor", R2, R6)
    t.sub(R1, R2, R6)


def _begin(t, divide):
    t.store(R0, "record")
    for name in ("input", "output"):
        t.ldr(R4, R0, at(POOLING, name))
        address(t)
        t.store(R5, name)
    one, counted = map(t.new_label, ("one", "counted"))
    t.two("mvn", R4, R3)
    t.cmp(R3, 0)
    t.branch("lt", one)
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.b(counted)
    t.label(one)
    t.mov(R3, 1)
    t.label(counted)
    t.store(R3, "left")
    for name, slot in (
        ("maximum", "maximum"),
        ("activation_min", "low"),
        ("activation_max", "high"),
    ):
        t.ldr(R6, R0, at(POOLING, name))
        t.store(R6, slot)
    t.ldr(R6, R0, at(POOLING, "channels"))
    t.lsl(R6, R6, 1)
    t.mov(R8, R6)
    t.ldr(R7, R0, at(POOLING, "output_width"))
    t.mul(R6, R7)
    t.mul(R6, R4)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, 0)
    t.store(R0, "cells")
    t.mov(R0, R4)
    t.ldr(R1, R5, at(POOLING, "output_height"))
    t.bl(divide)
    t.store(R0, "y")
    t.store(R2, "batch")


def pool():
    t = Thumb("pool", _ABOUT, arguments=4, slots=_SLOTS)
    names = "divide", "row", "pixel", "channel", "average", "clamp", "above", "below", "done"
    divide, row, pixel, channel, average, clamp, above, below, done = map(t.new_label, names)
    _begin(t, divide)
    t.label(row)
    _begin_row(t)
    t.label(pixel)
    _begin_pixel(t)
    t.label(channel)
    t.load(R0, "maximum")
    t.cmp(R0, 0)
    t.branch("eq", average)
    t.load(R1, "low")
    _cells(t, _keep_larger)
    t.b(clamp)
    t.label(average)
    t.mov(R1, 0)
    _cells(t, lambda t: t.add(R1, R3))
    _average(t, divide)
    t.label(clamp)
    t.load(R0, "low")
    t.cmp(R1, R0)
    t.branch("ge", above)
    t.mov(R1, R0)
    t.label(above)
    t.load(R0, "high")
    t.cmp(R1, R0)
    t.branch("le", below)
    t.mov(R1, R0)
    t.label(below)
    t.load(R0, "output")
    t.strh(R1, R0)
    t.add(R0, 2)
    t.store(R0, "output")
    t.load(R0, "window")
    t.add(R0, 2)
    t.store(R0, "window")
    t.load(R0, "channels_left")
    t.sub(R0, 1)
    t.store(R0, "channels_left")
    t.branch_far("ne", channel)
    t.load(R0, "columns_left")
    t.sub(R0, 1)
    t.store(R0, "columns_left")
    t.branch_far("ne", pixel)
    t.load(R0, "left")
    t.sub(R0, 1)
    t.store(R0, "left")
    t.branch("eq", done)
    _next_row(t)
    t.b(row)
    division(t, divide)
    t.label(done)
    return t.text()


def _next_row(t):
    same = t.new_label("same_batch")
    t.load(R7, "record")
    t.load(R0, "y")
    t.add(R0, 1)
    t.ldr(R1, R7, at(POOLING, "output_height"))
    t.cmp(R0, R1)
    t.branch("ne", same)
    t.load(R0, "batch")
    t.add(R0, 1)
    t.store(R0, "batch")
    t.mov(R0, 0)
    t.label(same)
    t.store(R0, "y")
