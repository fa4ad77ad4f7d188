# Assembler macros of CONV_2D and FULLY_CONNECTED for Thumb: int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV
from tflm.prepare.fully_connected_int16 import LAYOUT

from .thumb import R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11
from .thumb_record import at, division, in_image, operands

ABOUT_WINDOWS = """
Outputs of CONV_2D or FULLY_CONNECTED, int16 with weights of int8. `r0` is the address of the
record (CONV in prepare/conv_int16.py), `r1` of the arena, `r2` of the model. `r3` is the first
pixel * 1024 + the number of pixels. For LAYOUT in prepare/fully_connected_int16.py it is the
complement of the first channel * 32768 + the channel after the last one.
"""

SUMS = R8, R9, R10, R11
ROWS = R0, R1, R2, R3

# Words of REQUANTIZE_INT16, and the table after them.
_REQUANTIZE = 5

# A product of int16 and int8 is at most 2 ** 22, so that this number of them fits a word.
_MAX_TAPS = 511

# Slots that sums and outputs require.
OUTPUT_SLOTS = (
    "record",
    "input",
    "weights",
    "bias",  # address of the first channel's, 0 without
    "output",  # of the next output
    "is_wide",  # 1: sums have 64 bits and biases are int64
    "first_multiplier",  # address
    "multiplier",  # of the next output
    "multiplier_step",  # bytes from one channel to the next; 0: all channels have the same
    "next_bias",
    "zero_point",
    "low",
    "high",
    *(f"{half}_{i}" for i in range(4) for half in ("low", "high")),  # of the four sums
)

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

WINDOW_SLOTS = (
    *OUTPUT_SLOTS,
    *GEOMETRY_SLOTS,
    "is_connected",  # -1: FULLY_CONNECTED
    "run_left",
    "taps_left",  # that a word can still sum up
    "output_gap",  # bytes between the outputs of two batches of FULLY_CONNECTED
)


def begin_outputs(t, at_zero_point, at_kind=None):
    """Load the fields of REQUANTIZE_INT16, which begin at a byte of the record in R0.

    at_kind: byte of the argument of start_sums; None: sums have 64 bits. Uses R4 and R5.
    """
    t.mov(R5, R0)
    t.add(R5, at_zero_point)
    for i, name in enumerate(("zero_point", "low", "high")):
        t.ldr(R4, R5, 4 * i)
        t.store(R4, name)
    t.ldr(R4, R5, 12)
    t.lsl(R4, R4, 3)
    t.store(R4, "multiplier_step")
    t.add(R5, 4 * _REQUANTIZE)
    t.store(R5, "first_multiplier")
    t.mov(R4, 1)
    if at_kind is not None:
        t.ldr(R4, R0, at_kind)
    t.store(R4, "is_wide")


def first_output(t):
    """Begin with the bias and the multiplier of the first channel. Uses R4."""
    t.load(R4, "bias")
    t.store(R4, "next_bias")
    t.load(R4, "first_multiplier")
    t.store(R4, "multiplier")


def begin_sums(t, count):
    """Set the sums to the biases of the next `count` (a register) channels: 4, 2 or 1.

    Products are summed up in words, SUMS, which become 0. Uses R4 to R7.
    """
    words, none, done = (t.new_label(name) for name in ("words", "no_bias", "biased"))
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)
    t.load(R4, "next_bias")
    t.cmp(R4, 0)
    t.branch("eq", none)
    t.load(R5, "is_wide")
    t.cmp(R5, 0)
    t.branch("eq", words)
    for i in range(4):
        t.ldm(R4, R5, R6)
        t.store(R5, f"low_{i}")
        t.store(R6, f"high_{i}")
        if i in (0, 1):
            t.cmp(count, i + 1)
            t.branch("eq", done)
    t.b(done)
    t.label(words)
    for i in range(4):
        t.ldm(R4, R5)
        t.store(R5, f"low_{i}")
        if i in (0, 1):
            t.cmp(count, i + 1)
            t.branch("eq", done)
    t.label(done)
    t.store(R4, "next_bias")
    ready = t.new_label("sums_begun")
    t.b(ready)
    t.label(none)
    for i in range(4):
        t.store(R4, f"low_{i}")
        t.store(R4, f"high_{i}")
    t.label(ready)


def add_words(t):
    """Add the words SUMS to the sums of 64 bits, and set them to 0. Uses R4 to R6."""
    for i, register in enumerate(SUMS):
        t.mov(R5, register)
        t.asr(R6, R5, 31)
        t.load(R4, f"low_{i}")
        t.add(R4, R5)
        t.store(R4, f"low_{i}")
        t.load(R4, f"high_{i}")
        t.adc(R4, R6)
        t.store(R4, f"high_{i}")
    t.mov(R5, 0)
    for register in SUMS:
        t.mov(register, R5)


def write_outputs(t, label, count):
    """Make outputs of `count` (a slot: 4, 2 or 1) sums with the subroutine `label`."""
    done = t.new_label("written")
    for i, register in enumerate(SUMS):
        t.mov(R0, register)
        t.asr(R1, R0, 31)
        t.load(R2, f"low_{i}")
        t.load(R3, f"high_{i}")
        t.add(R0, R2)
        t.adc(R1, R3)
        t.bl(label)
        if i in (0, 1):
            t.load(R0, count)
            t.cmp(R0, i + 1)
            t.branch_far("eq", done)
    t.label(done)


def multiply_wide(t):
    """R4 (low) and R1 = the product of R0 (low) and R1 with R2, of 15 bits. Uses R0 and R5."""
    t.uxth(R4, R0)
    t.lsr(R0, R0, 16)
    t.mul(R4, R2)
    t.mul(R0, R2)
    t.mul(R1, R2)
    t.lsr(R5, R0, 16)
    t.lsl(R0, R0, 16)
    t.add(R4, R0)
    t.adc(R1, R5)


# Make an int16 of the sum in R0 (low) and R1, and store it. `product`: the macro for
# SaturatingRoundingDoublingHighMul of R0 and R2, which uses R1 to R4. `multiply`: multiply_wide()
# or a macro like it. Uses R2 to R6.
#
# With a sum v of 64 bits TFLM multiplies by a factor of 15 bits and shifts right with rounding
# (MultiplyByQuantizedMultiplier for int64). Sums have 48 bits, so the product has 63. The last
# shift leaves the highest bit that it drops in the carry, which is the rounding.
def output_subroutine(t, label, product, multiply=multiply_wide):
    words, beyond, ready, store, above, below, right = (
        t.new_label(name)
        for name in ("words", "beyond", "ready", "store", "above", "below", "right")
    )
    t.label(label)
    t.load(R6, "multiplier")
    t.ldr(R2, R6, 0)
    t.ldr(R3, R6, 4)
    t.load(R5, "multiplier_step")
    t.add(R6, R5)
    t.store(R6, "multiplier")
    t.load(R5, "is_wide")
    t.cmp(R5, 0)
    t.branch("eq", words)
    multiply(t)
    t.mov(R5, 32)
    t.sub(R5, R5, R3)
    t.branch("mi", beyond)
    t.lsl(R1, R1, R5)
    t.lsr(R4, R4, R3)
    t.adc(R1, R4)
    t.b(ready)
    t.label(beyond)
    t.sub(R3, 32)
    t.asr(R1, R1, R3)
    t.mov(R4, 0)
    t.adc(R1, R4)
    t.b(ready)
    t.label(words)
    t.mov(R5, 0)
    t.sub(R3, 32)
    t.branch("mi", right)
    t.lsl(R0, R0, R3)
    t.mov(R3, 0)
    t.label(right)
    t.sub(R5, R5, R3)
    product(t)
    t.asr(R1, R0, 31)
    t.add(R0, R1)
    t.asr(R0, R0, R5)
    t.mov(R1, 0)
    t.adc(R1, R0)
    t.label(ready)
    t.load(R2, "zero_point")
    t.add(R1, R2)
    t.load(R2, "low")
    t.cmp(R1, R2)
    t.branch("ge", above)
    t.mov(R1, R2)
    t.label(above)
    t.load(R2, "high")
    t.cmp(R1, R2)
    t.branch("le", below)
    t.mov(R1, R2)
    t.label(below)
    t.load(R3, "output")
    t.strh(R1, R3)
    t.add(R3, 2)
    t.store(R3, "output")
    t.ret()


# Store the elements of a filter, R1. Uses R1.
def _store_filter_step(t):
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
    t.ldr(R6, R7, at(layout, "input_height"))
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, at(layout, "input_width"))
    t.mul(R2, R5)
    t.ldr(R6, R7, at(layout, "input_channels"))
    t.mul(R2, R6)
    t.lsl(R2, R2, size - 1)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "line")
    t.ldr(R3, R7, at(layout, "filter_width"))
    t.mul(R1, R3)
    t.mul(R1, R6)
    t.load(R0, "weights")
    t.add(R1, R0)
    t.store(R1, "filter_line")
    t.ldr(R1, R7, at(layout, "filter_height"))
    t.mul(R1, R3)
    t.mul(R1, R6)
    _store_filter_step(t)


def find_window(t, layout=CONV, size=2):
    """Find the columns of the image in the window of the output pixel.

    The cells of a row of the filter touch each other in the image, so that they are one run.
    """
    padded, inside, some = map(t.new_label, ("padded", "inside", "some"))
    t.load(R7, "record")
    t.ldr(R3, R7, at(layout, "filter_width"))
    t.mov(R1, 0)  # the first column of the filter in the image
    t.load(R0, "x")
    t.ldr(R6, R7, at(layout, "stride_width"))
    t.mul(R0, R6)
    t.ldr(R6, R7, at(layout, "padding_width"))
    t.sub(R0, R6)
    t.branch("ge", padded)
    t.sub(R1, R1, R0)
    t.mov(R0, 0)
    t.label(padded)
    t.sub(R4, R3, R1)
    t.ldr(R2, R7, at(layout, "input_width"))
    t.sub(R5, R2, R0)
    t.cmp(R5, R4)
    t.branch("le", inside)
    t.mov(R5, R4)
    t.label(inside)  # r5: cells of a run
    t.cmp(R5, 0)
    t.branch("ge", some)
    t.mov(R5, 0)
    t.label(some)
    t.ldr(R6, R7, at(layout, "input_channels"))
    t.mul(R5, R6)
    t.store(R5, "run")
    t.mul(R3, R6)
    t.sub(R3, R5)
    t.store(R3, "weights_gap")
    t.ldr(R4, R7, at(layout, "dilation_height"))
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


# Begin with the pixel in the upper bits of R3. r0: record.
def _begin_conv(t, divide):
    begin_outputs(t, at(CONV, "output_zero_point"), at(CONV, "bias_kind"))
    t.lsr(R4, R3, 10)
    t.lsl(R3, R3, 22)
    t.lsr(R3, R3, 22)
    t.store(R3, "left")
    t.ldr(R6, R0, at(CONV, "output_channels"))
    t.store(R6, "channels")
    t.mul(R6, R4)
    t.lsl(R6, R6, 1)
    t.load(R5, "output")
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    for size, name in (("output_width", "x"), ("output_height", "y")):
        t.ldr(R1, R5, at(CONV, size))
        t.bl(divide)
        t.store(R0, name)
        t.mov(R0, R2)
    t.store(R0, "batch")


# Begin with the channels in R3, in each of the batches. r0: record.
def _begin_connected(t):
    begin_outputs(t, at(LAYOUT, "output_zero_point"), at(LAYOUT, "bias_kind"))
    words = t.new_label("biases_are_words")
    no_bias = t.new_label("there_is_no_bias")
    t.lsr(R4, R3, 15)  # the first channel
    t.lsl(R3, R3, 17)
    t.lsr(R3, R3, 17)
    t.sub(R3, R3, R4)
    t.store(R3, "channels")
    t.ldr(R5, R0, at(LAYOUT, "output_channels"))
    t.sub(R5, R5, R3)
    t.lsl(R5, R5, 1)
    t.store(R5, "output_gap")
    t.ldr(R5, R0, at(LAYOUT, "batches"))
    t.store(R5, "left")
    t.ldr(R5, R0, at(LAYOUT, "depth"))
    t.store(R5, "run")
    t.mov(R1, R5)
    _store_filter_step(t)
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
    t.load(R7, "record")
    t.load(R0, "x")
    t.add(R0, 1)
    t.store(R0, "x")
    t.ldr(R1, R7, at(CONV, "output_width"))
    t.cmp(R0, R1)
    t.branch_far("ne", window)
    t.mov(R3, 0)
    t.store(R3, "x")
    t.load(R0, "y")
    t.add(R0, 1)
    t.store(R0, "y")
    t.ldr(R1, R7, at(CONV, "output_height"))
    t.cmp(R0, R1)
    t.branch_far("ne", line)
    t.store(R3, "y")
    t.load(R0, "batch")
    t.add(R0, 1)
    t.store(R0, "batch")
    t.b(line)
    t.label(connected)
    _begin_connected(t)
    t.label(next_connected)
    _next_batch(t)
    t.b(pixel)
    output_subroutine(t, make_output, product, multiply)
    division(t, divide)
    t.label(done)
    return t.text()
