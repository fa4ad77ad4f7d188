# Assembler macros of windows of an image for Thumb: their geometry and the sums of their products
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV

from .record import word_of
from .thumb import R0, R1, R2, R3, R4, R5, R6, R7
from .thumb_int16_outputs import add_words, begin_sums
from .thumb_record import in_image

ROWS = R0, R1, R2, R3

# A product of int16 and int8 is at most 2 ** 22, so that this number of them fits a word.
_MAX_TAPS = 511

# Slots that windows require.
GEOMETRY_SLOTS = (
    "left",  # pixels
    "channels",
    "channels_left",  # of the pixel
    "block",  # channels that are summed up together: 4, 2 or 1
    "x",  # of the output
    "y",
    "batch",
    "line",  # address of the first row of the image in the window
    "filter_line",  # address of the first channel's weights for this row
    "rows",
    "rows_left",
    "window",  # address of the first input in the image
    "filter",  # address of its weight in the next channel
    "filter_step",  # bytes from one channel to the next
    "run",  # elements of the window in one row of the image
    "is_long",  # 0: the sum of a window fits a word
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
)


def store_filter_step(t):
    """Store the elements of a filter, R1. Uses R1."""
    t.store(R1, "filter_step")
    t.lsr(R1, R1, _MAX_TAPS.bit_length())  # not 0 for more than _MAX_TAPS
    t.store(R1, "is_long")


def find_line(t, layout=CONV, size=2):
    """Find the rows of the image in the window of the output's row.

    layout: of the record; it has WINDOWS. size: bytes of an input.
    """
    t.load(R7, "record")
    t.load(R0, "y")
    in_image(t, layout, "height")
    t.store(R4, "rows")
    t.ldr(R6, R7, word_of(layout, "input_height"))
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, word_of(layout, "input_width"))
    t.mul(R2, R5)
    t.ldr(R6, R7, word_of(layout, "input_channels"))
    t.mul(R2, R6)
    t.lsl(R2, R2, size - 1)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "line")
    t.ldr(R3, R7, word_of(layout, "filter_width"))
    t.mul(R1, R3)
    t.mul(R1, R6)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "filter_line")
    t.ldr(R1, R7, word_of(layout, "filter_height"))
    t.mul(R1, R3)
    t.mul(R1, R6)
    store_filter_step(t)


def find_window(t, layout=CONV, size=2):
    """Find the columns of the image in the window of the output pixel.

    The cells of a row of the filter touch each other in the image, so that they are one run.
    """
    padded, inside, some = map(t.new_label, ("padded", "inside", "some"))
    t.load(R7, "record")
    t.ldr(R3, R7, word_of(layout, "filter_width"))
    t.mov(R1, 0)  # the first column of the filter in the image
    t.load(R0, "x")
    t.ldr(R6, R7, word_of(layout, "stride_width"))
    t.mul(R0, R6)
    t.ldr(R6, R7, word_of(layout, "padding_width"))
    t.sub(R0, R6)
    t.branch("ge", padded)
    t.sub(R1, R1, R0)
    t.mov(R0, 0)
    t.label(padded)
    t.sub(R4, R3, R1)
    t.ldr(R2, R7, word_of(layout, "input_width"))
    t.sub(R5, R2, R0)
    t.cmp(R5, R4)
    t.branch("le", inside)
    t.mov(R5, R4)
    t.label(inside)  # r5: cells of a run
    t.cmp(R5, 0)
    t.branch("ge", some)
    t.mov(R5, 0)
    t.label(some)
    t.ldr(R6, R7, word_of(layout, "input_channels"))
    t.mul(R5, R6)
    t.store(R5, "run")
    t.mul(R3, R6)
    t.sub(R3, R5)
    t.store(R3, "weights_gap")
    t.ldr(R4, R7, word_of(layout, "dilation_height"))
    t.mul(R2, R4)
    t.mul(R2, R6)
    t.sub(R2, R5)
    t.lsl(R2, R2, size - 1)
    t.store(R2, "input_gap")
    t.mul(R0, R6)
    t.lsl(R0, R0, size - 1)
    t.load(R4, "line")
    t.add(R0, R4)
    t.store(R0, "window")
    t.mul(R1, R6)
    t.load(R4, "filter_line")
    t.add(R1, R4)
    t.store(R1, "filter")


def begin_block(t, begin=begin_sums):
    """Choose the channels of the next block, and leave their addresses in ROWS.

    A block of fewer than four channels repeats them. begin: macro that sets the sums to 0.
    """
    enough, ready = map(t.new_label, ("enough", "ready"))
    t.load(R5, "channels_left")
    t.mov(R3, 4)
    t.cmp(R5, 4)
    t.branch("ge", enough)
    t.mov(R3, 2)
    t.cmp(R5, 2)
    t.branch("ge", enough)
    t.mov(R3, 1)
    t.label(enough)
    t.store(R3, "block")
    begin(t, R3)
    t.load(R0, "filter")
    t.load(R5, "filter_step")
    t.mov(R4, R3)
    for register in ROWS[1:]:
        t.mov(register, R0)
    t.cmp(R4, 1)
    t.branch("eq", ready)
    t.add(R1, R5)
    t.mov(R3, R1)
    t.cmp(R4, 2)
    t.branch("eq", ready)
    t.add(R2, R1, R5)
    t.add(R3, R2, R5)
    t.label(ready)
    t.load(R7, "window")


def sum_up(t, taps, done, is_short=False):
    """Sum up the products of the window.

    taps: the macro that adds the products of R4 (more than 0) inputs from R7 on and of weights
    from ROWS on to SUMS, for a number of rows, and advances these addresses. It uses R5 and R6.
    is_short: the sum of any window fits a word.
    """
    two, one, long = map(t.new_label, ("two", "one", "long"))
    t.load(R5, "rows")
    t.load(R4, "run")
    t.mul(R4, R5)
    t.branch_far("eq", done)
    t.store(R5, "rows_left")
    if not is_short:
        t.load(R5, "is_long")
        t.cmp(R5, 0)
        t.branch_far("ne", long)
    t.load(R5, "block")
    t.cmp(R5, 2)
    t.branch_far("eq", two)
    t.branch_far("lt", one)
    _rows(t, taps, 4, done)
    t.label(two)
    _rows(t, taps, 2, done)
    t.label(one)
    _rows(t, taps, 1, done)
    if not is_short:
        t.label(long)
        _rows_in_parts(t, taps, done)


# Sum up all rows of the window.
def _rows(t, taps, count, done):
    row = t.new_label("row")
    t.label(row)
    t.load(R4, "run")
    taps(t, count)
    _next_row(t, count, done)
    t.b(row)


# Advance to the next row of the window. Uses R5.
def _next_row(t, count, done):
    t.load(R5, "rows_left")
    t.sub(R5, 1)
    t.branch_far("eq", done)
    t.store(R5, "rows_left")
    t.load(R5, "weights_gap")
    for register in ROWS[:count]:
        t.add(register, R5)
    t.load(R5, "input_gap")
    t.add(R7, R5)


# Sum up at most _MAX_TAPS products in words, then continue with new words.
def _rows_in_parts(t, taps, done):
    names = "row", "next_taps", "whole", "next_row", "flush"
    row, next_taps, whole, next_row, flush = map(t.new_label, names)
    _all_taps_left(t)
    t.label(row)
    t.load(R4, "run")
    t.label(next_taps)
    t.mov(R6, 0)
    t.load(R5, "taps_left")
    t.sub(R5, R5, R4)
    t.branch("ge", whole)
    t.sub(R6, R6, R5)
    t.store(R6, "run_left")
    t.mov(R5, 0)
    t.sub(R4, R4, R6)
    t.branch_far("eq", flush)
    t.label(whole)
    t.store(R5, "taps_left")
    t.store(R6, "run_left")
    taps(t, 4)
    t.load(R4, "run_left")
    t.cmp(R4, 0)
    t.branch("eq", next_row)
    t.label(flush)
    add_words(t)
    _all_taps_left(t)
    t.load(R4, "run_left")
    t.b(next_taps)
    t.label(next_row)
    _next_row(t, 4, done)
    t.b(row)


# Uses R5.
def _all_taps_left(t):
    t.mov(R5, _MAX_TAPS >> 1)
    t.lsl(R5, R5, 1)
    t.add(R5, _MAX_TAPS & 1)
    t.store(R5, "taps_left")
