# Assembler macros of windows of an image of bytes for Thumb: their geometry, sums of products
# MIT license; Copyright (c) 2026 the tflm authors

from .record import word_of
from .thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11
from .thumb_record import in_image

ROWS = R0, R1, R2, R3
SUMS = R8, R9, R10, R11

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
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
)


def find_line(t, layout):
    """Find the rows of the image in the window of the output's row.

    layout: of the record; it has WINDOWS. Inputs are bytes.
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
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "line")
    t.ldr(R3, R7, word_of(layout, "filter_width"))
    t.mul(R1, R3)
    t.mul(R1, R6)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "filter_line")


def find_window(t, layout):
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
    t.store(R2, "input_gap")
    t.mul(R0, R6)
    t.load(R4, "line")
    t.add(R0, R4)
    t.store(R0, "window")
    t.mul(R1, R6)
    t.load(R4, "filter_line")
    t.add(R1, R4)
    t.store(R1, "filter")


def begin_block(t, begin):
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


def sum_up(t, taps, done):
    """Sum up the products of the window.

    taps: the macro that adds the products of R4 (more than 0) inputs from R7 on and of weights
    from ROWS on to SUMS, for a number of rows, and advances these addresses. It uses R5 and R6.
    """
    two, one = map(t.new_label, ("two", "one"))
    t.load(R5, "rows")
    t.load(R4, "run")
    t.mul(R4, R5)
    t.branch_far("eq", done)
    t.store(R5, "rows_left")
    t.load(R5, "block")
    t.cmp(R5, 2)
    t.branch_far("eq", two)
    t.branch_far("lt", one)
    _rows(t, taps, 4, done)
    t.label(two)
    _rows(t, taps, 2, done)
    t.label(one)
    _rows(t, taps, 1, done)


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
