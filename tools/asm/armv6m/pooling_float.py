# Generator of the assembler kernels of MAX_POOL_2D and AVERAGE_POOL_2D, float32, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..common.record import word_of
from ..common.thumb import (
    LR,
    R0,
    R1,
    R2,
    R3,
    R4,
    R5,
    R6,
    R7,
    R8,
    R9,
    R10,
    R11,
    R12,
    Thumb,
)
from ..common.thumb_record import (
    address,
    coordinates,
    division,
    first_and_count,
    in_image,
    next_pixel,
    number_done,
)
from .mantissa_float import SPARE_BITS, align, normalize, round_to_even
from .record_float import clamp, key, limits

_RECORD = """
`r0` is the address of the record (LAYOUT in prepare/pooling_float.py), `r1` of the arena, `r2` of
the model. `r3` is the first pixel * 1024 + the number of pixels.
"""
_MAXIMUM = "Pixels of MAX_POOL_2D, float32." + _RECORD
_AVERAGE = (
    """
Pixels of AVERAGE_POOL_2D, float32. Returns the number of pixels that are done; the next one has
inputs that this function does not add, such as infinite ones.
"""
    + _RECORD
)

# Biased exponents of the inputs that are not 0. Then no sum and no mean of at most 2 ** 24 of them
# is subnormal or infinite.
_LOW, _HIGH = 64, 200

_SLOTS = (
    "record",
    "input",
    "output",  # of the next output
    "left",  # pixels
    "channels_left",
    "x",  # of the output
    "y",
    "batch",
    "window",  # address of the first input of the channel
    "rows",
    "columns",
    "low",
    "high",
    "low_key",
    "high_key",
)
_MEAN_SLOTS = (
    *_SLOTS,
    "count",  # of pixels
    "divisor",  # the number of cells, shifted left until bit 23 is set
    "divisor_bits",  # of the number of cells, less 1
    "rows_left",
)


# Find the window of the output pixel. r8: bytes of a pixel, r9: bytes of a row of the window, r10:
# bytes from its end to the next row.
def _window(t):
    t.load(R7, "record")
    t.load(R0, "x")
    in_image(t, LAYOUT, "width")
    t.store(R0, "window")
    t.store(R4, "columns")
    t.mov(R1, R8)
    t.mul(R4, R1)
    t.mov(R9, R4)
    t.load(R0, "y")
    in_image(t, LAYOUT, "height")
    t.store(R4, "rows")
    t.load(R2, "batch")
    t.mul(R2, R6)
    t.add(R2, R0)
    t.ldr(R5, R7, word_of(LAYOUT, "input_width"))
    t.mul(R2, R5)
    t.load(R0, "window")
    t.add(R2, R0)
    t.mov(R1, R8)
    t.mul(R2, R1)
    t.load(R0, "input")
    t.add(R2, R0)
    t.store(R2, "window")
    t.mul(R5, R1)
    t.mov(R0, R9)
    t.sub(R5, R0)
    t.mov(R10, R5)
    t.ldr(R0, R7, word_of(LAYOUT, "channels"))
    t.store(R0, "channels_left")


# Begin with the pixel in the upper bits of R3. r0: record, r1: arena, r2: model.
def _begin(t, divide):
    t.store(R0, "record")
    t.ldr(R4, R0, word_of(LAYOUT, "input"))
    address(t)
    t.store(R5, "input")
    t.ldr(R4, R0, word_of(LAYOUT, "output"))
    address(t)
    first_and_count(t, "left")
    t.ldr(R6, R0, word_of(LAYOUT, "channels"))
    t.lsl(R6, R6, 2)
    t.mov(R8, R6)
    t.mul(R6, R4)
    t.add(R6, R5)
    t.store(R6, "output")
    t.mov(R5, R0)
    t.mov(R0, R4)
    coordinates(t, LAYOUT, divide)
    t.mov(R0, R5)
    t.add(R0, word_of(LAYOUT, "activation_min"))
    limits(t)


# Store the output in R2 and go to the next `channel`, or to `done`.
def _store(t, channel, done):
    t.load(R4, "output")
    t.stm(R4, R2)
    t.store(R4, "output")
    t.load(R4, "window")
    t.add(R4, 4)
    t.store(R4, "window")
    t.load(R4, "channels_left")
    t.sub(R4, 1)
    t.store(R4, "channels_left")
    t.branch_far("ne", channel)
    t.load(R4, "left")
    t.sub(R4, 1)
    t.store(R4, "left")
    t.branch_far("eq", done)


# r0: input; r1: key of the largest one; r2: its bits; r6: end of a row; r7: rows; r12: 0xFF000000.
def maximum():
    t = Thumb("maximum", _MAXIMUM, arguments=4, slots=_SLOTS)
    names = ("divide", "window", "channel", "cell", "smaller", "done")
    divide, window, channel, cell, smaller, done = map(t.new_label, names)
    _begin(t, divide)
    t.mov(R0, 0xFF)
    t.lsl(R0, R0, 24)
    t.mov(R12, R0)
    t.label(window)
    _window(t)
    t.label(channel)
    t.load(R7, "record")
    t.ldr(R2, R7, word_of(LAYOUT, "initial"))
    key(t, R1, R2, R3)
    t.load(R7, "rows")
    t.load(R0, "window")
    t.mov(R6, R0)
    t.add(R6, R9)
    t.label(cell)
    t.ldr(R3, R0)
    t.add(R0, R8)
    t.lsl(R4, R3, 1)
    t.cmp(R4, R12)
    t.branch("hi", smaller)  # a NaN
    key(t, R4, R3, R5)
    t.cmp(R4, R1)
    t.branch("le", smaller)
    t.mov(R1, R4)
    t.mov(R2, R3)
    t.label(smaller)
    t.cmp(R0, R6)
    t.branch("ne", cell)
    t.add(R0, R10)
    t.mov(R6, R0)
    t.add(R6, R9)
    t.sub(R7, 1)
    t.branch("ne", cell)
    clamp(t)
    _store(t, channel, done)
    next_pixel(t, LAYOUT, window)
    division(t, divide)
    t.label(done)
    return t.text()


# Store the number of cells of the window as a divisor; leave to `bail` if it is 0.
def _divisor(t, bail):
    shift, done = t.new_label("shift_divisor"), t.new_label("divisor")
    t.load(R4, "rows")
    t.load(R5, "columns")
    t.mul(R4, R5)
    t.branch_far("eq", bail)
    t.mov(R5, 23)
    t.label(shift)
    t.lsr(R6, R4, 23)
    t.branch("ne", done)
    t.lsl(R4, R4, 1)
    t.sub(R5, 1)
    t.b(shift)
    t.label(done)
    t.store(R4, "divisor")
    t.store(R5, "divisor_bits")


# Add the float32 in R3 to the sum in R2, a mantissa with a sign and SPARE_BITS, and its exponent
# in R12, less _LOW. Goes to `next_cell` or `bail`. r11: a mantissa's bit 23.
def _add(t, next_cell, bail):
    names = "bad", "positive", "smaller", "added", "no_sum", "rounded"
    bad, positive, smaller, added, no_sum, rounded = map(t.new_label, names)
    t.lsl(R4, R3, 1)
    t.branch("eq", next_cell)  # the sum is never -0.0
    t.lsr(R4, R4, 24)
    t.sub(R4, _LOW)
    t.cmp(R4, _HIGH - _LOW)
    t.branch("hi", bad)
    t.lsl(R1, R3, 9)
    t.lsr(R1, R1, 9 - SPARE_BITS)
    t.add(R1, R11)
    t.cmp(R3, 0)
    t.branch("ge", positive)
    t.two("neg", R1, R1)
    t.label(positive)
    t.mov(R5, R12)
    t.sub(R5, R5, R4)
    t.branch("lt", smaller)
    align(t, R1)
    t.lsl(R2, R2, 1)
    t.mov(R4, R12)
    t.b(added)
    t.label(bad)
    t.b(bail)
    t.label(no_sum)
    t.mov(R12, R2)
    t.b(next_cell)
    t.label(smaller)
    t.two("neg", R5, R5)
    align(t, R2)
    t.lsl(R1, R1, 1)
    t.label(added)
    t.add(R2, R1)
    t.asr(R1, R2, 31)
    t.two("eor", R2, R1)
    t.sub(R2, R1)
    t.branch("eq", no_sum)
    t.add(R4, 1)
    normalize(t)
    round_to_even(t, rounded)
    t.label(rounded)
    t.add(R4, 1)
    t.mov(R12, R4)
    t.lsr(R2, R2, 8)
    t.lsl(R2, R2, SPARE_BITS)
    t.two("eor", R2, R1)
    t.sub(R2, R1)


# Divide the sum in R2 by the divisor: R2 becomes a float32. Uses R1, R3 to R7.
def _divide(t):
    names = "zero", "fits", "bit", "less", "packed", "exact"
    zero, fits, bit, less, packed, exact = map(t.new_label, names)
    t.asr(R1, R2, 31)
    t.two("eor", R2, R1)
    t.sub(R2, R1)
    t.branch("eq", zero)
    t.lsr(R2, R2, SPARE_BITS)
    t.mov(R4, R12)
    t.add(R4, _LOW - 1)
    t.load(R5, "divisor_bits")
    t.sub(R4, R4, R5)
    t.load(R3, "divisor")
    t.lsl(R5, R3, 9)
    t.branch("eq", packed)  # a power of two
    t.cmp(R2, R3)
    t.branch("cs", fits)
    t.lsl(R2, R2, 1)
    t.sub(R4, 1)
    t.label(fits)
    t.mov(R6, 0)
    t.mov(R7, 24)
    t.label(bit)
    t.lsl(R6, R6, 1)
    t.cmp(R2, R3)
    t.branch("cc", less)
    t.sub(R2, R2, R3)
    t.add(R6, 1)
    t.label(less)
    t.lsl(R2, R2, 1)
    t.sub(R7, 1)
    t.branch("ne", bit)
    t.cmp(R2, R3)  # never equal
    t.branch("cc", exact)
    t.add(R6, 1)
    t.label(exact)
    t.mov(R2, R6)
    t.label(packed)
    t.lsl(R4, R4, 23)
    t.add(R2, R4)
    t.lsl(R1, R1, 31)
    t.add(R2, R1)
    t.label(zero)


# r0: input; r2: sum; r3: input; r12: exponent of the sum; lr: end of a row.
def average():
    t = Thumb("average", _AVERAGE, arguments=4, slots=_MEAN_SLOTS)
    names = "divide", "window", "channel", "cell", "next_cell", "bail", "more", "found"
    divide, window, channel, cell, next_cell, bail, more, found = map(t.new_label, names)
    _begin(t, divide)
    t.load(R0, "left")
    t.store(R0, "count")
    t.mov(R0, 1)
    t.lsl(R0, R0, 23 + SPARE_BITS)
    t.mov(R11, R0)
    t.b(window)
    division(t, divide)
    t.label(bail)
    number_done(t)
    t.b(found)
    t.label(window)
    _window(t)
    _divisor(t, bail)
    t.label(channel)
    t.mov(R2, 0)
    t.mov(R12, R2)
    t.load(R7, "rows")
    t.store(R7, "rows_left")
    t.load(R0, "window")
    t.mov(R6, R0)
    t.add(R6, R9)
    t.mov(LR, R6)
    t.label(cell)
    t.ldr(R3, R0)
    t.add(R0, R8)
    _add(t, next_cell, bail)
    t.label(next_cell)
    t.cmp(R0, LR)
    t.branch_far("ne", cell)
    t.add(R0, R10)
    t.mov(R6, R0)
    t.add(R6, R9)
    t.mov(LR, R6)
    t.load(R7, "rows_left")
    t.sub(R7, 1)
    t.store(R7, "rows_left")
    t.branch_far("ne", cell)
    _divide(t)
    clamp(t)
    _store(t, channel, more)
    next_pixel(t, LAYOUT, window)
    t.label(more)
    t.load(R0, "count")
    t.label(found)
    return t.text(returns=True)
