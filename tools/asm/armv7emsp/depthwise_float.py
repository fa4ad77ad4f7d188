# Generator of the kernel of DEPTHWISE_CONV_2D, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11
from .channels_float import (
    FRAME,
    begin,
    clamp_outputs,
    clip_subroutine,
    clip_window,
    count_pixels,
)
from .thumb_vfp import ThumbVfp

_DEPTHWISE = """
Outputs of a DEPTHWISE_CONV_2D with one output channel for each of four or more input channels.
`r0` is the record, `r1` the arena, `r2` the model, `r3` the first unit. The word of the first
output contains the unit where the kernel stops.
"""

_SLOTS = (
    *FRAME,
    "channels",
    "pixel_output",  # address of channel 0 of the tile's first pixel
    "source",  # address of channel 0 in the first cell inside of the image
    "window",  # address of channel 0 of the first cell's weights
    "rows",  # of the filter inside of the image
    "cells",  # of a row of the filter inside of the image
    "cell_step",  # bytes from one cell to the next, of the input
    "row_gap",  # bytes of the input from the end of a row of the filter to the next row
    "weight_gap",  # bytes of the weights from the end of a row of the filter to the next row
    "channel_bytes",  # of all channels of a pixel
    "pixel_step",  # bytes of the input
    "last_step",  # from the third pixel to the fourth; 0 for three pixels
    "last_output_step",
    "rows_left",
)

# Registers of the FPU: sums of four channels of each pixel, four weights, then inputs.
_WEIGHTS = 16
_INPUTS = 20


# Sums of four channels of `pixels` pixels; R8 is the offset of the channels in bytes.
def _tile(t, pixels):
    row, cell, next_row, done = map(t.new_label, ("row", "cell", "next_row", "done"))
    addresses = (R0, R1, R2, R3)[:pixels]
    t.load(R0, "source")
    t.add(R0, R8)
    if pixels > 1:
        t.load(R5, "pixel_step")
        t.add_wide(R1, R0, R5)
        t.add_wide(R2, R1, R5)
        t.load(R5, "last_step")
        t.add_wide(R3, R2, R5)
    t.load(R4, "window")
    t.add(R4, R8)
    t.number(R5, 0)
    for i in range(4 * pixels):
        t.from_core(i, R5)
    t.load(R6, "channel_bytes")
    t.load(R7, "cell_step")
    t.load(R9, "rows")
    t.cmp_number(R9, 0)
    t.branch_far("eq", done)
    t.label(row)
    t.load(R5, "cells")
    t.label(cell)
    t.vldm_stay(R4, _WEIGHTS, 4)
    t.add(R4, R6)
    for pixel, address in enumerate(addresses):
        x = _INPUTS + 4 * (pixel % 2) if pixels > 1 else _INPUTS
        t.vldm_stay(address, x, 4)
        t.add(address, R7)
        for i in range(4):
            t.vmul(x + i, x + i, _WEIGHTS + i)
        for i in range(4):
            t.vadd(4 * pixel + i, 4 * pixel + i, x + i)
    t.sub(R5, 1)
    t.branch_far("ne", cell)
    t.load(R5, "row_gap")
    for address in addresses:
        t.add(address, R5)
    t.load(R5, "weight_gap")
    t.add(R4, R5)
    t.subs_number(R9, 1)
    t.branch_far("ne", row)
    t.label(done)
    unbiased = t.new_label("unbiased")
    t.load(R1, "bias")
    t.cmp(R1, 0)
    t.branch("eq", unbiased)
    t.add(R1, R8)
    t.vldm(R1, _WEIGHTS, 4)
    for i in range(4 * pixels):
        t.vadd(i, i, _WEIGHTS + i % 4)
    t.label(unbiased)
    t.load(R1, "pixel_output")
    t.add(R1, R8)
    for pixel in range(pixels):
        t.vstm_stay(R1, 4 * pixel, 4)
        if pixel + 1 < pixels:
            t.load(R2, "channel_bytes" if pixel < 2 else "last_output_step")
            t.add(R1, R2)


# Set the slots of a tile from the clipped window; for the registers see clip_window().
def _window_slots(t):
    word = {name: word_of(DEPTHWISE, name) for name in DEPTHWISE}
    t.store(R10, "rows")
    t.store(R11, "cells")
    # No column inside of the image: no row has products.
    t.cmp_number(R11, 0)
    t.it("eq")
    t.store(R11, "rows")
    # source = input + (((batch * height + y) * width + x) * bytes of a pixel
    t.load(R1, "channel_bytes")
    t.ldr_wide(R5, R0, word["input_height"])
    t.mla(R3, R7, R5, R3)
    t.ldr_wide(R6, R0, word["input_width"])
    t.mla(R3, R3, R6, R4)
    t.load(R4, "input")
    t.mla(R3, R3, R1, R4)
    t.store(R3, "source")
    t.ldr_wide(R5, R0, word["filter_width"])
    t.mla(R3, R8, R5, R9)
    t.load(R4, "weights")
    t.mla(R3, R3, R1, R4)
    t.store(R3, "window")
    t.sub_wide(R5, R5, R11)
    t.mul_wide(R5, R5, R1)
    t.store(R5, "weight_gap")
    t.load(R2, "cell_step")
    t.mul_wide(R2, R2, R11)
    t.ldr_wide(R5, R0, word["dilation_height"])
    t.mul_wide(R5, R5, R6)
    t.mul_wide(R5, R5, R1)
    t.sub_wide(R5, R5, R2)
    t.store(R5, "row_gap")


# Steps:
# 1. Find the addresses of the operands.
# 2. Take the next pixel, or up to four pixels of a row whose windows are inside of the image.
# 3. For four channels at a time, at the end the last four: sums of all taps, bias, outputs.
# 4. Limit the outputs to the range of the activation.
def depthwise():
    t = ThumbVfp("depthwise", _DEPTHWISE, slots=_SLOTS, saves=True)
    word = {name: word_of(DEPTHWISE, name) for name in DEPTHWISE}
    begin(t, DEPTHWISE, False)
    clip, clipped = t.new_label("clip"), t.new_label("clipped")
    t.b(clipped)
    clip_subroutine(t, clip)
    t.label(clipped)
    t.load(R0, "record")
    t.ldr_wide(R1, R0, word["output_channels"])
    t.store(R1, "channels")
    t.shift_left(R1, R1, 2)
    t.store(R1, "channel_bytes")
    for slot, name in (("pixel_step", "stride_width"), ("cell_step", "dilation_width")):
        t.ldr_wide(R2, R0, word[name])
        t.mul_wide(R2, R2, R1)
        t.store(R2, slot)

    tile, group, single, joined, end = map(
        t.new_label, ("tile", "group", "single", "joined", "end")
    )
    t.label(tile)
    t.load(R0, "record")
    t.load(R4, "start")
    t.load(R2, "stop")
    t.cmp(R4, R2)
    t.branch_far("ge", end)
    t.load(R1, "channel_bytes")
    t.load(R3, "output")
    t.mla(R3, R4, R1, R3)
    t.store(R3, "pixel_output")
    clip_window(t, DEPTHWISE, clip)
    count_pixels(t, DEPTHWISE)
    _window_slots(t)
    t.load(R3, "pixels")
    t.load(R1, "start")
    t.add_wide(R1, R1, R3)
    t.store(R1, "start")
    for step, last in (("pixel_step", "last_step"), ("channel_bytes", "last_output_step")):
        t.load(R1, step)
        t.cmp(R3, 4)
        t.it("ne")
        t.number(R1, 0)
        t.store(R1, last)
    t.number(R8, 0)
    t.label(group)
    t.load(R5, "pixels")
    t.cmp(R5, 1)
    t.branch_far("eq", single)
    _tile(t, 4)
    t.bl(joined)
    t.label(single)
    _tile(t, 1)
    t.label(joined)
    t.load(R1, "channel_bytes")
    t.add_number(R8, R8, 16)
    t.cmp(R8, R1)
    t.branch_far("ge", tile)
    t.number(R2, 16)
    t.sub_wide(R1, R1, R2)
    t.cmp(R8, R1)
    t.move_if("gt", R8, R1)
    t.bl(group)
    t.label(end)
    t.load(R0, "record")
    t.load(R1, "first")
    t.load(R3, "output")
    t.load(R4, "channel_bytes")
    t.mla(R2, R2, R4, R3)
    clamp_outputs(t, DEPTHWISE, R0, R1, R2)
    return t.text()
