# Assembler macros of CONV_2D and FULLY_CONNECTED for Thumb: int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV
from tflm.prepare.fully_connected_int16 import LAYOUT

from .record import word_of
from .thumb import R0, R1, R2, R3, R4, R5, R6, R7
from .thumb_int16_outputs import (
    OUTPUT_SLOTS,
    begin_outputs,
    first_output,
    multiply_wide,
    output_subroutine,
    write_outputs,
)
from .thumb_record import coordinates, division, first_and_count, next_pixel, operands
from .thumb_window import (
    GEOMETRY_SLOTS,
    begin_block,
    find_line,
    find_window,
    store_filter_step,
    sum_up,
)

ABOUT_WINDOWS = """
Outputs of CONV_2D or FULLY_CONNECTED, int16 with weights of int8. `r0` is the address of the
record (CONV in prepare/conv_int16.py), `r1` of the arena, `r2` of the model. `r3` is the first
pixel * 1024 + the number of pixels. For LAYOUT in prepare/fully_connected_int16.py it is the
complement of the first channel * 32768 + the channel after the last one.
"""

WINDOW_SLOTS = (
    *OUTPUT_SLOTS,
    *GEOMETRY_SLOTS,
    "is_connected",  # -1: FULLY_CONNECTED
    "run_left",
    "taps_left",  # that a word can still sum up
    "output_gap",  # bytes between the outputs of two batches of FULLY_CONNECTED
)


# Begin with the pixel in the upper bits of R3. r0: record.
def _begin_conv(t, divide):
    begin_outputs(t, word_of(CONV, "output_zero_point"), word_of(CONV, "bias_kind"))
    first_and_count(t, "left")
    t.ldr(R6, R0, word_of(CONV, "output_channels"))
    t.store(R6, "channels")
    t.mul(R6, R4)
    t.lsl(R6, R6, 1)
    t.load(R5, "output")
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    coordinates(t, CONV, divide)


# Begin with the channels in R3, in each of the batches. r0: record.
def _begin_connected(t):
    begin_outputs(t, word_of(LAYOUT, "output_zero_point"), word_of(LAYOUT, "bias_kind"))
    words = t.new_label("biases_are_words")
    no_bias = t.new_label("there_is_no_bias")
    t.lsr(R4, R3, 15)  # the first channel
    t.lsl(R3, R3, 17)
    t.lsr(R3, R3, 17)
    t.sub(R3, R3, R4)
    t.store(R3, "channels")
    t.ldr(R5, R0, word_of(LAYOUT, "output_channels"))
    t.sub(R5, R5, R3)
    t.lsl(R5, R5, 1)
    t.store(R5, "output_gap")
    t.ldr(R5, R0, word_of(LAYOUT, "batches"))
    t.store(R5, "left")
    t.ldr(R5, R0, word_of(LAYOUT, "depth"))
    t.store(R5, "run")
    t.mov(R1, R5)
    store_filter_step(t)
    t.mov(R6, 1)
    t.store(R6, "rows")
    t.mul(R5, R4)
    t.load(R6, "weights")
    t.add(R5, R6)
    t.store(R5, "filter_line")
    t.load(R5, "input")
    t.load(R6, "run")
    t.lsl(R6, R6, 1)
    t.sub(R5, R5, R6)
    t.store(R5, "window")
    t.load(R5, "output")
    t.lsl(R6, R4, 1)
    t.add(R5, R6)
    t.load(R6, "output_gap")
    t.sub(R5, R5, R6)
    t.store(R5, "output")
    t.load(R5, "multiplier_step")
    t.mul(R5, R4)
    t.load(R6, "first_multiplier")
    t.add(R5, R6)
    t.store(R5, "first_multiplier")
    t.load(R6, "bias")
    t.cmp(R6, 0)
    t.branch("eq", no_bias)
    t.load(R5, "is_wide")
    t.lsl(R4, R4, 2)
    t.cmp(R5, 0)
    t.branch("eq", words)
    t.lsl(R4, R4, 1)
    t.label(words)
    t.add(R6, R4)
    t.store(R6, "bias")
    t.label(no_bias)


# Advance to the next batch; _begin_connected() leaves the addresses one batch before the first.
def _next_batch(t):
    for name in ("window", "output"):
        t.load(R0, name)
        t.load(R1, "run" if name == "window" else "output_gap")
        if name == "window":
            t.lsl(R1, R1, 1)
        t.add(R0, R1)
        t.store(R0, name)
    t.load(R0, "filter_line")
    t.store(R0, "filter")


def windows(t, taps, product, multiply=multiply_wide):
    """Write the function of ABOUT_WINDOWS.

    taps: see sum_up. product, multiply: see output_subroutine.
    """
    names = "divide", "make_output", "connected", "line", "window", "pixel", "block", "write"
    divide, make_output, connected, line, window, pixel, block, write = map(t.new_label, names)
    next_connected, done = map(t.new_label, ("next_connected", "done"))
    t.store(R0, "record")
    t.asr(R7, R3, 31)
    t.store(R7, "is_connected")
    t.two("eor", R3, R7)
    operands(t, CONV)
    t.cmp(R7, 0)
    t.branch_far("ne", connected)
    _begin_conv(t, divide)
    t.label(line)
    find_line(t)
    t.label(window)
    find_window(t)
    t.label(pixel)
    first_output(t)
    t.load(R5, "channels")
    t.store(R5, "channels_left")
    t.label(block)
    begin_block(t)
    sum_up(t, taps, write)
    t.label(write)
    write_outputs(t, make_output, "block")
    t.load(R0, "block")
    t.load(R1, "filter_step")
    t.mul(R1, R0)
    t.load(R2, "filter")
    t.add(R2, R1)
    t.store(R2, "filter")
    t.load(R1, "channels_left")
    t.sub(R1, R1, R0)
    t.store(R1, "channels_left")
    t.branch_far("ne", block)
    t.load(R0, "left")
    t.sub(R0, 1)
    t.store(R0, "left")
    t.branch_far("eq", done)
    t.load(R0, "is_connected")
    t.cmp(R0, 0)
    t.branch_far("ne", next_connected)
    next_pixel(t, CONV, window, line)
    t.label(connected)
    _begin_connected(t)
    t.label(next_connected)
    _next_batch(t)
    t.b(pixel)
    output_subroutine(t, make_output, product, multiply)
    division(t, divide)
    t.label(done)
    return t.text()
