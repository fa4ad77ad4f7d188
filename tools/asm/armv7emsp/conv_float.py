# Generator of the kernel of CONV_2D, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV

from ..common.record import word_of
from ..common.thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12
from .channels_float import (
    FRAME,
    begin,
    clamp_outputs,
    clip_subroutine,
    clip_window,
    count_inside,
    multiply_pixel,
)
from .conv_float_tile import (
    CHANNELS,
    PIXELS,
    filter_rows,
    four_channels,
    multiply_one_channel,
    multiply_tile,
    repeat_channel,
    store_outputs,
)
from .thumb_vfp import ThumbVfp

_CONVOLVE = """
Outputs of a CONV_2D. `r0` is the record, `r1` the arena, `r2` the model, `r3` the first unit. The
word of the first output contains the unit where the kernel stops.
"""

_SLOTS = (
    *FRAME,
    "pixel",  # number of the tile's first pixel
    "channel",
    "channels_end",  # of the tile
    "pixel_output",  # address of channel 0 of the tile's first pixel
    "source",  # address of the tile's first input that is inside of the image
    "window",  # offset of the first weight inside of the image in a channel's weights, in bytes
    "rows",  # of the filter inside of the image
    "runs",  # of contiguous inputs in a row of the filter
    "taps",  # of a run
    "run_gap",  # bytes of the input from the end of a run to the next run
    "row_gap",  # bytes of the input from the end of a row's last run to the next row
    "weight_gap",  # bytes of the weights from the end of a row to the next row
    "filter_bytes",  # of a channel
    "second",  # channels from the tile's first channel to the second one ...
    "third",
    "fourth",
    "pixel_step",  # bytes of the input
    "third_step",  # from the second pixel to the third; 0 for two pixels
    "last_step",  # from the third pixel to the fourth; 0 for fewer than four
    "output_step",  # bytes from one pixel to the next
    "third_output_step",
    "last_output_step",
    "position",  # column of the window in the image
    "row_pixels",  # of the row of the output, after the tile, whose windows are in the image
    "rows_left",
    "runs_left",
)


# Set the slots of a tile from the clipped window: R0 is the record, R8 and R9 the first row and
# column of the filter, R10 and R11 its rows and columns, R3 and R4 the position in the image.
def _window_slots(t):
    word = {name: word_of(CONV, name) for name in CONV}
    one_run, known = map(t.new_label, ("one_run", "known"))
    t.store(R10, "rows")
    t.ldr_wide(R1, R0, word["input_channels"])
    t.ldr_wide(R2, R0, word["filter_channels"])
    # source = input + 4 * ((batch * height + y) * width + x) * channels; R7 is the batch.
    t.ldr_wide(R5, R0, word["input_height"])
    t.mla(R3, R7, R5, R3)
    t.ldr_wide(R6, R0, word["input_width"])
    t.mla(R3, R3, R6, R4)
    t.mul_wide(R3, R3, R1)
    t.load(R4, "input")
    t.add_wide(R3, R4, R3, "lsl", 2)
    t.store(R3, "source")
    t.ldr_wide(R5, R0, word["filter_width"])
    t.mla(R3, R8, R5, R9)
    t.mul_wide(R3, R3, R2)
    t.shift_left(R3, R3, 2)
    t.store(R3, "window")
    t.sub_wide(R5, R5, R11)
    t.mul_wide(R5, R5, R2)
    t.shift_left(R5, R5, 2)
    t.store(R5, "weight_gap")
    # R12: bytes from one row of the filter to the next one in the image
    t.ldr_wide(R5, R0, word["dilation_height"])
    t.mul_wide(R12, R5, R6)
    t.mul_wide(R12, R12, R1)
    t.shift_left(R12, R12, 2)
    t.ldr_wide(R5, R0, word["dilation_width"])
    t.cmp(R1, R2)
    t.branch("ne", known)
    t.cmp(R5, 1)
    t.branch("eq", one_run)
    t.label(known)
    t.store(R2, "taps")
    t.store(R11, "runs")
    t.mul_wide(R5, R5, R1)
    t.sub_wide(R6, R5, R2)
    t.shift_left(R6, R6, 2)
    t.store(R6, "run_gap")
    # The pixels have advanced by all runs and the gaps between them.
    t.mul_wide(R3, R5, R11)
    t.sub_wide(R3, R3, R5)
    t.add_wide(R3, R3, R2)
    t.sub_wide(R12, R12, R3, "lsl", 2)
    t.store(R12, "row_gap")
    ready = t.new_label("ready")
    t.b(ready)
    t.label(one_run)
    t.mul_wide(R3, R2, R11)
    t.store(R3, "taps")
    t.number(R4, 1)
    t.store(R4, "runs")
    t.sub_wide(R12, R12, R3, "lsl", 2)
    t.store(R12, "row_gap")
    t.label(ready)
    # No column inside of the image: no row has products.
    t.cmp_number(R11, 0)
    t.it("eq")
    t.store(R11, "rows")


# Store in `row_pixels` how many pixels of the row, from this one on, have all columns of their
# windows inside of the image, and may be computed four at a time: 1 or more. The outputs must not
# overlap inputs that later groups of channels read. R0: record. Uses R1 to R6 and R12.
def _count_row(t):
    safe, done = t.new_label("safe"), t.new_label("counted")
    word = {name: word_of(CONV, name) for name in CONV}
    t.load(R4, "position")
    count_inside(t, CONV, True, done)
    t.load(R1, "separate")
    t.cmp(R1, 0)
    t.branch("ne", safe)
    # One group of channels: a tile reads all its inputs before it writes outputs.
    t.ldr_wide(R1, R0, word["output_channels"])
    t.ldr_wide(R3, R0, word["group_channels"])
    t.cmp(R1, R3)
    t.move_if("lt", R3, R1)
    t.cmp(R1, 4)
    t.it("gt")
    t.number(R3, 0)
    t.cmp(R3, R1)
    t.branch("eq", safe)
    t.load(R3, "output_step")
    t.load(R1, "pixel_output")
    t.mla(R1, R2, R3, R1)
    t.load(R3, "source")
    t.cmp(R1, R3)
    t.branch("ls", safe)
    # Not the rest of the row: the next tile.
    t.cmp_number(R2, 4)
    t.it("gt")
    t.number(R2, 4)
    t.load(R1, "pixel_output")
    t.load(R4, "output_step")
    t.mla(R1, R2, R4, R1)
    t.cmp(R1, R3)
    t.branch("ls", safe)
    t.number(R2, 1)
    t.label(safe)
    t.move(R1, R2)
    t.label(done)
    t.store(R1, "row_pixels")


# Steps:
# 1. Find the addresses of the operands.
# 2. Take the next pixel, or the pixels of a row whose windows are inside of the image, up to four
#    at a time.
# 3. For each four channels: sums of all taps, bias, outputs.
# 4. Limit the outputs to the range of the activation.
def convolve():
    t = ThumbVfp("convolve", _CONVOLVE, slots=_SLOTS, saves=True)
    word = {name: word_of(CONV, name) for name in CONV}
    begin(t, CONV, True)
    clip, clipped = t.new_label("clip"), t.new_label("clipped")
    t.b(clipped)
    clip_subroutine(t, clip)
    t.label(clipped)
    t.load(R0, "record")
    for name in ("filter_height", "filter_width", "filter_channels"):
        t.ldr_wide(R1 if name == "filter_height" else R2, R0, word[name])
        if name != "filter_height":
            t.mul_wide(R1, R1, R2)
    t.shift_left(R1, R1, 2)
    t.store(R1, "filter_bytes")
    t.ldr_wide(R1, R0, word["stride_width"])
    t.ldr_wide(R2, R0, word["input_channels"])
    t.mul_wide(R1, R1, R2)
    t.shift_left(R1, R1, 2)
    t.store(R1, "pixel_step")
    t.ldr_wide(R1, R0, word["output_channels"])
    t.shift_left(R1, R1, 2)
    t.store(R1, "output_step")

    tile, several, group, end = map(t.new_label, ("tile", "several", "group", "end"))
    t.label(tile)
    t.load(R0, "record")
    t.load(R1, "start")
    t.load(R2, "stop")
    t.cmp(R1, R2)
    t.branch_far("ge", end)
    t.ldr_wide(R5, R0, word["output_channels"])
    t.sdiv(R4, R1, R5)
    t.store(R4, "pixel")
    t.mls(R6, R4, R5, R1)
    t.store(R6, "channel")
    clip_window(t, CONV, clip)
    t.store(R4, "position")
    _window_slots(t)
    t.load(R1, "pixel")
    t.ldr_wide(R5, R0, word["output_channels"])
    t.mul_wide(R1, R1, R5)
    t.load(R2, "output")
    t.add_wide(R1, R2, R1, "lsl", 2)
    t.store(R1, "pixel_output")
    _count_row(t)
    t.load(R5, "row_pixels")
    t.load(R4, "channel")
    t.load(R1, "start")
    t.cmp(R5, 1)
    t.branch("gt", several)
    t.ldr_wide(R5, R0, word["output_channels"])
    t.load(R2, "stop")
    t.sub_wide(R2, R2, R1)
    t.add_wide(R2, R2, R4)
    t.cmp(R2, R5)
    t.move_if("gt", R2, R5)
    t.store(R2, "channels_end")
    t.sub_wide(R2, R2, R4)
    t.add_wide(R1, R1, R2)
    t.store(R1, "start")
    t.number(R1, 1)
    t.store(R1, "pixels")
    t.number(R1, 0)
    t.store(R1, "row_pixels")
    t.b(group)

    # The next tile of the row: up to four of the R5 pixels.
    t.label(several)
    t.number(R3, 4)
    t.cmp(R3, R5)
    t.move_if("gt", R3, R5)
    t.store(R3, "pixels")
    t.sub_wide(R5, R5, R3)
    t.store(R5, "row_pixels")
    t.ldr_wide(R5, R0, word["output_channels"])
    t.store(R5, "channels_end")
    t.load(R1, "start")
    t.mla(R1, R3, R5, R1)
    t.store(R1, "start")
    for number, which in ((3, "third"), (4, "last")):
        t.cmp(R3, number)
        for step in ("step", "output_step"):
            t.load(R1, "pixel_step" if step == "step" else step)
            t.it("lt")
            t.number(R1, 0)
            t.store(R1, f"{which}_{step}")

    # Four channels of one group of the filters, from R1 on; the last one stands for missing ones.
    t.label(group)
    t.load(R0, "record")
    t.load(R1, "channel")
    t.ldr_wide(R2, R0, word["group_channels"])
    t.sdiv(R3, R1, R2)
    t.mla(R2, R3, R2, R2)
    t.load(R4, "channels_end")
    t.cmp(R2, R4)
    t.move_if("gt", R2, R4)
    t.sub_wide(R2, R2, R1)
    t.subs_number(R2, 1)
    for i, name in enumerate(("second", "third", "fourth"), 1):
        t.number(R5, i)
        t.cmp(R5, R2)
        t.move_if("gt", R5, R2)
        t.store(R5, name)
    t.ldr_wide(R2, R0, word["filter_channels"])
    t.mul_wide(R3, R3, R2)
    t.load(R0, "source")
    t.add_wide(R0, R0, R3, "lsl", 2)
    t.load(R2, "filter_bytes")
    t.load(R3, "weights")
    t.mla(R3, R1, R2, R3)
    t.load(R4, "window")
    t.add_wide(R3, R3, R4)
    t.number(R4, 0)
    for i in range(16):
        t.from_core(i, R4)
    t.load(R5, "pixels")
    single, joined = map(t.new_label, ("single", "joined"))
    t.cmp(R5, 1)
    t.branch_far("eq", single)

    t.move(R8, R2)
    four_channels(t, CHANNELS, R3, R8)
    t.load(R8, "pixel_step")
    t.add_wide(R1, R0, R8)
    t.load(R8, "third_step")
    t.add_wide(R2, R1, R8)
    t.load(R8, "last_step")
    t.add_wide(R3, R2, R8)
    one_channel, summed = t.new_label("one_channel"), t.new_label("summed")
    t.load(R9, "fourth")
    t.cmp_number(R9, 0)
    t.branch_far("eq", one_channel)
    filter_rows(t, multiply_tile, PIXELS, CHANNELS, R8)
    t.bl(summed)
    t.label(one_channel)
    filter_rows(t, multiply_one_channel, PIXELS, CHANNELS[:1], R8)
    repeat_channel(t)
    t.label(summed)
    store_outputs(t, 4)
    t.bl(joined)

    t.label(single)
    t.move(R8, R2)
    four_channels(t, (R1, R2, R3, R4), *_moved(t, R3, R8))
    filter_rows(t, multiply_pixel, (R0,), (R1, R2, R3, R4), R5)
    store_outputs(t, 1)
    t.label(joined)
    t.load(R1, "channel")
    t.load(R2, "fourth")
    t.add_wide(R1, R1, R2)
    t.add(R1, 1)
    t.store(R1, "channel")
    t.load(R2, "channels_end")
    t.cmp(R1, R2)
    t.branch_far("lt", group)
    t.load(R5, "row_pixels")
    t.cmp(R5, 0)
    t.branch_far("eq", tile)
    t.load(R3, "pixels")
    for address, step in (("source", "pixel_step"), ("pixel_output", "output_step")):
        t.load(R1, address)
        t.load(R2, step)
        t.mla(R1, R3, R2, R1)
        t.store(R1, address)
    t.number(R1, 0)
    t.store(R1, "channel")
    t.load(R0, "record")
    t.bl(several)
    t.label(end)
    t.load(R0, "record")
    t.load(R1, "first")
    t.load(R3, "output")
    t.add_wide(R2, R3, R2, "lsl", 2)
    clamp_outputs(t, CONV, R0, R1, R2)
    return t.text()


# Copy the address of the weights to a register that no channel uses.
def _moved(t, first, step):
    t.move(R7, first)
    return R7, step
