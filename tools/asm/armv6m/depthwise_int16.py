# Generator of the assembler kernel of DEPTHWISE_CONV_2D, int16, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import DEPTHWISE

from ..common.record import word_of
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R12, Thumb
from ..common.thumb_int16_outputs import (
    OUTPUT_SLOTS,
    SUMS,
    begin_outputs,
    begin_sums,
    first_output,
    output_subroutine,
    write_outputs,
)
from ..common.thumb_record import (
    coordinates,
    depthwise_window,
    division,
    first_and_count,
    next_pixel,
    operands,
)
from .requantize import product

_ABOUT = """
Pixels of DEPTHWISE_CONV_2D, int16 with weights of int8. `r0` is the address of the record
(DEPTHWISE in prepare/conv_int16.py), `r1` of the arena, `r2` of the model. `r3` is the first pixel
* 1024 + the number of pixels. A filter has at most 511 cells.
"""

_SLOTS = (
    *OUTPUT_SLOTS,
    "left",  # pixels
    "channels",
    "channels_left",
    "multiplier_of_depth",  # output channels of an input channel
    "uses_left",  # of the input channel
    "block",  # channels that are summed up together: 4 or 1
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the next channel's first input in the image
    "filter",  # address of its weight
    "input_step",  # bytes from one cell of a row to the next
    "cells",  # of a row
    "rows",
    "rows_left",
    "input_gap",  # bytes from the end of a row to the next one
    "weights_gap",
)


# Begin with the pixel in the upper bits of R3. r0: record.
def _begin(t, divide):
    first_and_count(t, "left")
    t.ldr(R6, R0, word_of(DEPTHWISE, "output_channels"))
    t.store(R6, "channels")
    t.mul(R6, R4)
    t.lsl(R6, R6, 1)
    t.load(R5, "output")
    t.add(R6, R5)
    t.store(R6, "output")
    t.ldr(R6, R0, word_of(DEPTHWISE, "input_channels"))
    t.ldr(R5, R0, word_of(DEPTHWISE, "dilation_width"))
    t.mul(R6, R5)
    t.lsl(R6, R6, 1)
    t.store(R6, "input_step")
    t.mov(R5, R0)
    t.mov(R0, R4)
    coordinates(t, DEPTHWISE, divide)
    t.load(R0, "channels")
    t.ldr(R1, R5, word_of(DEPTHWISE, "input_channels"))
    t.bl(divide)
    t.store(R2, "multiplier_of_depth")


# Choose the channels of the next block: four if each has an input channel of its own.
def _begin_block(t):
    one = t.new_label("one")
    t.load(R5, "channels_left")
    t.load(R6, "multiplier_of_depth")
    t.mov(R3, 1)
    t.cmp(R6, 1)
    t.branch("ne", one)
    t.cmp(R5, 4)
    t.branch("lt", one)
    t.mov(R3, 4)
    t.label(one)
    t.store(R3, "block")
    begin_sums(t, R3)


# Add the products of the four channels from R0 and R1 on. r2: 0, r3: 2, r4: 1.
def _add_four(t):
    for channel, total in enumerate(SUMS):
        if channel < 2:
            t.ldrsh_at(R5, R0, (R2, R3)[channel])
        else:
            t.ldrh(R5, R0, 2 * channel)
            t.sxth(R5, R5)
        if channel < 3:
            t.ldrsb_at(R6, R1, (R2, R4, R3)[channel])
        else:
            t.ldrb(R6, R1, channel)
            t.sxtb(R6, R6)
        t.mul(R5, R6)
        t.add(total, R5)


def _add_one(t):
    t.ldrsh_at(R5, R0, R2)
    t.ldrsb_at(R6, R1, R2)
    t.mul(R5, R6)
    t.add(R8, R5)


# Visit the cells of the window. r0: input; r1: weight; r7: cells left in a row; r12: bytes from
# one cell of the image to the next; lr: from one cell of the filter to the next.
def _cells(t, add, done):
    row, cell = t.new_label("row"), t.new_label("cell")
    t.label(row)
    t.load(R7, "cells")
    t.label(cell)
    add(t)
    t.add(R0, R12)
    t.add(R1, LR)
    t.sub(R7, 1)
    t.branch("ne", cell)
    t.load(R5, "rows_left")
    t.sub(R5, 1)
    t.branch("eq", done)
    t.store(R5, "rows_left")
    t.load(R5, "input_gap")
    t.add(R0, R5)
    t.load(R5, "weights_gap")
    t.add(R1, R5)
    t.b(row)


def _sum_up(t, done):
    single = t.new_label("single")
    t.load(R5, "cells")
    t.load(R6, "rows")
    t.store(R6, "rows_left")
    t.mul(R5, R6)
    t.branch_far("eq", done)
    t.load(R0, "input_step")
    t.mov(R12, R0)
    t.load(R0, "channels")
    t.mov(LR, R0)
    t.load(R0, "window")
    t.load(R1, "filter")
    t.mov(R2, 0)
    t.mov(R3, 2)
    t.mov(R4, 1)
    t.load(R5, "block")
    t.cmp(R5, 1)
    t.branch("eq", single)
    _cells(t, _add_four, done)
    t.label(single)
    _cells(t, _add_one, done)


# Advance to the next block's channels. Leaves the number of channels left in the flags.
def _next_block(t):
    same = t.new_label("same_input")
    t.load(R0, "block")
    t.load(R1, "filter")
    t.add(R1, R0)
    t.store(R1, "filter")
    t.load(R1, "uses_left")
    t.sub(R1, 1)
    t.store(R1, "uses_left")
    t.branch("ne", same)
    t.load(R1, "multiplier_of_depth")
    t.store(R1, "uses_left")
    t.load(R1, "window")
    t.lsl(R2, R0, 1)
    t.add(R1, R2)
    t.store(R1, "window")
    t.label(same)
    t.load(R1, "channels_left")
    t.sub(R1, R1, R0)
    t.store(R1, "channels_left")


def depthwise():
    t = Thumb("depthwise", _ABOUT, arguments=4, slots=_SLOTS)
    names = "divide", "make_output", "window", "block", "write", "done"
    divide, make_output, window, block, write, done = map(t.new_label, names)
    t.store(R0, "record")
    operands(t, DEPTHWISE)
    begin_outputs(t, word_of(DEPTHWISE, "output_zero_point"))
    _begin(t, divide)
    t.label(window)
    depthwise_window(
        t,
        DEPTHWISE,
        1,
        "cells",
        lambda t: t.load(R2, "input_step"),
        lambda t: t.load(R2, "channels"),
    )
    first_output(t)
    t.load(R5, "channels")
    t.store(R5, "channels_left")
    t.load(R5, "multiplier_of_depth")
    t.store(R5, "uses_left")
    t.label(block)
    _begin_block(t)
    _sum_up(t, write)
    t.label(write)
    write_outputs(t, make_output, "block")
    _next_block(t)
    t.branch_far("ne", block)
    t.load(R0, "left")
    t.sub(R0, 1)
    t.store(R0, "left")
    t.branch_far("eq", done)
    next_pixel(t, DEPTHWISE, window)
    output_subroutine(t, make_output, product)
    division(t, divide)
    t.label(done)
    return t.text()
