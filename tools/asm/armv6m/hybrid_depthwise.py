# Generator of the sums of DEPTHWISE_CONV_2D, float32 with weights of int8, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R12, Thumb
from ..common.thumb_int16_outputs import SUMS
from ..common.thumb_record import at, division, in_image
from .hybrid_sums import begin, begin_pixel, next_pixel, operands, store_block

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs. Each group has one input channel. `r0` is the address of the record
(HYBRID in prepare/hybrid.py), `r1` of the arena, `r2` of the model. `r3` is the first output *
1024 + the number of outputs.
"""

_SLOTS = (
    "record",
    "input",
    "weights",
    "output",  # address of the next output
    "offsets",  # address of the zero points
    "left",  # outputs
    "channels",
    "channel",  # the first one of the pixel
    "channels_left",  # of the pixel
    "group",  # output channels of a group
    "group_left",  # output channels of this group
    "block",  # output channels that are summed up together: 4 or 1
    "x",  # of the output
    "y",
    "batch",
    "line",  # address of the first row of the image in the window
    "filter_line",  # address of the first channel's weights for this row
    "rows",  # of the filter in the image
    "rows_left",
    "cells",  # of such a row in the image
    "window",  # address of the first input of the next group
    "filter",  # address of its weight in the next channel
    "filter_step",  # bytes from one channel to the next
    "cell_step",  # bytes of the image from one cell to the next
    "filter_cell_step",
    "row_gap",  # bytes of the image from the end of a row of cells to the next one
    "filter_row_gap",
)

# Kinds of blocks: four channels with four inputs, four channels of one group, one channel.
FOUR, SHARED, SINGLE = range(3)


# Add the products of a cell. r0: inputs, r1: weights, r12: minus the zero point. Uses R2 to R4.
def _cell(t, kind):
    if kind == SINGLE:
        t.ldrb(R3, R0)
        t.ldrb(R4, R1)
        t.sxtb(R3, R3)
        t.sxtb(R4, R4)
        t.add(R3, R12)
        t.mul(R4, R3)
        t.add(R8, R4)
        return
    if kind == SHARED:
        t.ldrb(R3, R0)
        t.sxtb(R3, R3)
        t.add(R3, R12)
    for i, total in enumerate(SUMS):
        t.mov(R2, i)
        if kind == FOUR:
            t.ldrsb_at(R3, R0, R2)
            t.add(R3, R12)
        t.ldrsb_at(R4, R1, R2)
        t.mul(R4, R3)
        t.add(total, R4)


# Find the rows of the filter in the image for the output's row.
def _find_line(t):
    t.load(R7, "record")
    t.load(R0, "y")
    in_image(t, HYBRID, "height")
    t.store(R4, "rows")
    t.load(R2, "batch")
    t.ldr(R6, R7, at(HYBRID, "input_height"))
    t.mul(R2, R6)
    t.add(R2, R0)
    for name in ("input_width", "input_channels"):
        t.ldr(R6, R7, at(HYBRID, name))
        t.mul(R2, R6)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "line")
    for name in ("filter_width", "cell_step"):
        t.ldr(R6, R7, at(HYBRID, name))
        t.mul(R1, R6)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "filter_line")


# Find the columns of the filter in the image for the output pixel.
def _find_window(t):
    t.load(R7, "record")
    t.load(R0, "x")
    in_image(t, HYBRID, "width")
    t.store(R4, "cells")
    t.ldr(R6, R7, at(HYBRID, "input_channels"))
    t.mul(R0, R6)
    t.load(R2, "line")
    t.add(R0, R2)
    t.store(R0, "window")
    t.ldr(R2, R7, at(HYBRID, "dilation_width"))
    t.mul(R2, R6)
    t.store(R2, "cell_step")
    t.ldr(R5, R7, at(HYBRID, "dilation_height"))
    t.mul(R5, R6)
    t.ldr(R6, R7, at(HYBRID, "input_width"))
    t.mul(R5, R6)
    t.mul(R2, R4)
    t.sub(R5, R5, R2)
    t.store(R5, "row_gap")
    t.ldr(R3, R7, at(HYBRID, "cell_step"))
    t.store(R3, "filter_cell_step")
    t.mul(R1, R3)
    t.load(R6, "filter_line")
    t.add(R1, R6)
    t.store(R1, "filter")
    t.ldr(R5, R7, at(HYBRID, "filter_width"))
    t.sub(R5, R5, R4)
    t.mul(R5, R3)
    t.store(R5, "filter_row_gap")


# Find the group of the first channel of the pixel. r7: record.
def _find_group(t, divide):
    t.ldr(R1, R7, at(HYBRID, "group_channels"))
    t.store(R1, "group")
    t.load(R0, "channel")
    t.bl(divide)
    t.load(R1, "window")
    t.add(R1, R2)
    t.store(R1, "window")
    t.load(R1, "group")
    t.sub(R1, R1, R0)
    t.store(R1, "group_left")


# Sum up the products of a block with the macro `cell`, and go to `done`.
def _sum_up(t, cell, kind, done):
    row, column = t.new_label("row"), t.new_label("column")
    t.mov(R3, 1 if kind == SINGLE else 4)
    t.store(R3, "block")
    t.label(row)
    t.load(R5, "cells")
    t.label(column)
    cell(t, kind)
    t.add(R0, R6)
    t.add(R1, R7)
    t.sub(R5, 1)
    t.branch("ne", column)
    t.load(R5, "rows_left")
    t.sub(R5, 1)
    t.branch_far("eq", done)
    t.store(R5, "rows_left")
    t.load(R2, "row_gap")
    t.add(R0, R2)
    t.load(R2, "filter_row_gap")
    t.add(R1, R2)
    t.b(row)


# Sum up the next channels of the pixel, and go to `done`.
def _block(t, cell, done):
    shared, less, single = map(t.new_label, ("shared", "less", "single"))
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)
    t.mov(R5, 1)
    t.store(R5, "block")
    t.load(R5, "rows")
    t.store(R5, "rows_left")
    t.load(R4, "cells")
    t.mul(R4, R5)
    t.branch_far("eq", done)
    t.load(R0, "window")
    t.load(R1, "filter")
    t.load(R6, "cell_step")
    t.load(R7, "filter_cell_step")
    t.load(R4, "channels_left")
    t.load(R5, "group")
    t.cmp(R5, 1)
    t.branch_far("ne", shared)
    t.cmp(R4, 4)
    t.branch_far("lt", single)
    _sum_up(t, cell, FOUR, done)
    t.label(shared)
    t.load(R5, "group_left")
    t.cmp(R4, R5)
    t.branch("le", less)
    t.mov(R4, R5)
    t.label(less)
    t.cmp(R4, 4)
    t.branch_far("lt", single)
    _sum_up(t, cell, SHARED, done)
    t.label(single)
    _sum_up(t, cell, SINGLE, done)


# Advance the inputs by the R0 channels of a block.
def _next_inputs(t):
    groups, same, done = map(t.new_label, ("groups", "same_group", "advanced"))
    t.load(R1, "group")
    t.load(R3, "window")
    t.cmp(R1, 1)
    t.branch("ne", groups)
    t.add(R3, R0)
    t.b(done)
    t.label(groups)
    t.load(R2, "group_left")
    t.sub(R2, R2, R0)
    t.branch("ne", same)
    t.add(R3, 1)
    t.mov(R2, R1)
    t.label(same)
    t.store(R2, "group_left")
    t.label(done)
    t.store(R3, "window")


def depthwise(thumb=Thumb, cell=_cell, begin_cells=None):
    """Return the function depthwise. thumb: the class of its text. cell: see _cell.

    begin_cells: macro that prepares a pixel for `cell`, with minus its zero point in R12.
    """
    t = thumb("depthwise", _ABOUT, 4, _SLOTS)
    names = "divide", "line", "window", "block", "store", "done"
    divide, line, window, block, store, done = map(t.new_label, names)
    t.store(R0, "record")
    operands(t, HYBRID, {"quantized": "input", "offsets": "offsets", "weights": "weights",
                         "output": "output"})  # fmt: skip
    begin(t, divide)
    t.label(line)
    _find_line(t)
    t.label(window)
    _find_window(t)
    _find_group(t, divide)
    begin_pixel(t)
    if begin_cells:
        begin_cells(t)
    t.label(block)
    _block(t, cell, store)
    t.label(store)
    store_block(t)
    _next_inputs(t)
    t.load(R1, "channels_left")
    t.cmp(R1, 0)
    t.branch_far("ne", block)
    t.load(R0, "left")
    t.cmp(R0, 0)
    t.branch_far("eq", done)
    next_pixel(t, window, line)
    division(t, divide)
    t.label(done)
    return t.text()
