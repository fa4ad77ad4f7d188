# Generator of the kernel of AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .channels_float import clamp_outputs, operand
from .thumb_vfp import ThumbVfp

_POOL = """
Outputs of a pool. `r0` is the record, `r1` the arena, `r2` the model, `r3` the first unit. The
word of the first output contains the unit where the kernel stops.
"""

_SLOTS = (
    "record",
    "input",
    "output",
    "first",  # address of the first output
    "next",  # address of the next output
    "start",  # the next unit
    "stop",
    "source",  # address of channel 0 in the first cell inside of the image
    "rows",  # of the window inside of the image
    "cells",  # of a row of the window inside of the image
    "row_gap",  # bytes of the input from the end of a row of the window to the next row
    "channels",
)

_MAXIMUM, _SQUARES = 1, 2  # kinds; the other one is a mean


# Position R1 of a window on one side becomes the first cell in the image; R2 cells are inside.
def _clip(t, side):
    t.ldr_wide(R2, R0, word_of(LAYOUT, "filter_" + side))
    t.add_wide(R2, R1, R2)
    t.ldr_wide(R3, R0, word_of(LAYOUT, "input_" + side))
    t.cmp(R2, R3)
    t.move_if("gt", R2, R3)
    t.cmp(R1, 0)
    t.it("lt")
    t.number(R1, 0)
    t.sub_wide(R2, R2, R1)


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip the window, then reduce the cells of one channel after the other.
# 3. Limit the outputs to the range of the activation.
def pool():
    t = ThumbVfp("pool", _POOL, slots=_SLOTS)
    word = {name: word_of(LAYOUT, name) for name in LAYOUT}
    t.store(R0, "record")
    t.store(R3, "start")
    t.move(R12, R0)
    t.move(R11, R1)
    t.move(R10, R2)
    for name in ("input", "output"):
        operand(t, LAYOUT, name, R12, R11, R10, R4, R5)
    t.ldr_wide(R2, R12, word["channels"])
    t.store(R2, "channels")
    t.mul_wide(R5, R3, R2)
    t.add_wide(R5, R4, R5, "lsl", 2)
    t.store(R5, "first")
    t.store(R5, "next")
    t.ldr_wide(R6, R5)
    t.store(R6, "stop")

    pixel, channel, end = map(t.new_label, ("pixel", "channel", "end"))
    t.label(pixel)
    t.load(R4, "start")
    t.load(R5, "stop")
    t.cmp(R4, R5)
    t.branch_far("ge", end)
    t.add_number(R1, R4, 1)
    t.store(R1, "start")
    t.load(R0, "record")
    t.ldr_wide(R5, R0, word["output_width"])
    t.sdiv(R6, R4, R5)
    t.mls(R4, R6, R5, R4)
    t.ldr_wide(R5, R0, word["output_height"])
    t.sdiv(R7, R6, R5)
    t.mls(R6, R7, R5, R6)
    for side, value in (("height", R6), ("width", R4)):
        t.ldr_wide(R5, R0, word["stride_" + side])
        t.mul_wide(R1, value, R5)
        t.ldr_wide(R5, R0, word["padding_" + side])
        t.sub_wide(R1, R1, R5)
        _clip(t, side)
        t.store(R2, "rows" if side == "height" else "cells")
        if side == "height":
            t.ldr_wide(R5, R0, word["input_height"])
            t.mla(R8, R7, R5, R1)
            t.move(R9, R2)
    # source = input + 4 * ((batch * height + y) * width + x) * channels
    t.ldr_wide(R5, R0, word["input_width"])
    t.mla(R8, R8, R5, R1)
    t.load(R6, "channels")
    t.mul_wide(R8, R8, R6)
    t.load(R1, "input")
    t.add_wide(R8, R1, R8, "lsl", 2)
    t.store(R8, "source")
    t.sub_wide(R5, R5, R2)
    t.mul_wide(R5, R5, R6)
    t.shift_left(R5, R5, 2)
    t.store(R5, "row_gap")
    t.mul_wide(R9, R9, R2)
    t.from_core(2, R9)
    t.to_float(2, 2)
    # r1: cell, r2: cells left, r3: rows left, r4: address of the output, r6: bytes of a cell,
    # r7: channels left, s0: result, s2: cells
    t.load(R4, "next")
    t.load(R7, "channels")
    t.shift_left(R6, R7, 2)
    t.load(R5, "row_gap")
    t.ldr_wide(R8, R0, word["kind"])
    t.load(R9, "cells")
    t.load(R10, "rows")
    t.load(R11, "source")
    t.label(channel)
    row, maximum, squares, next_row, ready = map(
        t.new_label, ("row", "maximum", "squares", "next_row", "ready")
    )
    t.vldr(0, R0, word["initial"])
    t.move(R1, R11)
    t.move(R3, R10)
    t.label(row)
    t.move(R2, R9)
    t.cmp_number(R8, _MAXIMUM)
    t.branch("eq", maximum)
    t.cmp_number(R8, _SQUARES)
    t.branch("eq", squares)
    mean = t.new_label("mean")
    t.label(mean)
    t.vldr(1, R1)
    t.add(R1, R6)
    t.vadd(0, 0, 1)
    t.sub(R2, 1)
    t.branch("ne", mean)
    t.b(next_row)
    t.label(squares)
    t.vldr(1, R1)
    t.add(R1, R6)
    t.vmul(1, 1, 1)
    t.vadd(0, 0, 1)
    t.sub(R2, 1)
    t.branch("ne", squares)
    t.b(next_row)
    t.label(maximum)
    t.vldr(1, R1)
    t.add(R1, R6)
    t.vcmp(1, 0)
    t.vmov_if("gt", 0, 1)
    t.sub(R2, 1)
    t.branch("ne", maximum)
    t.label(next_row)
    t.add(R1, R5)
    t.sub(R3, 1)
    t.branch("ne", row)
    t.cmp_number(R8, _MAXIMUM)
    t.branch("eq", ready)
    t.vdiv(0, 0, 2)
    t.label(ready)
    t.vstm(R4, 0)
    t.add_number(R11, R11, 4)
    t.sub(R7, 1)
    t.branch_far("ne", channel)
    t.store(R4, "next")
    t.bl(pixel)
    t.label(end)
    t.load(R0, "record")
    t.load(R1, "first")
    t.load(R2, "next")
    clamp_outputs(t, LAYOUT, R0, R1, R2)
    return t.text()
