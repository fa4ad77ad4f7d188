# Generator of the assembler kernels of DEPTHWISE_CONV_2D for Cortex-M0+, with weights in lanes
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R11, R12, Thumb
from ..common.thumb_plane import OWN, PLANE, channels, load_parameters
from .requantize import requantize


# acc += the rounded upper half of weight * x (see lanes_multiply.py). Destroys `weight`.
def _multiply(t, acc, weight, x):
    t.mul(weight, x)
    t.asr(weight, weight, 16)
    t.adc(acc, weight)


# Begin the rows of a channel: load the first window into R6.
def _begin_rows(t):
    t.load(R1, "output")
    t.store(R1, "out")
    t.load(R1, "rows")
    t.store(R1, "rows_left")
    t.load(R6, "plane")


# Begin a row: load the end of its windows and the address of its first output.
def _begin_row(t):
    t.load(R1, "width")
    t.add(R1, R6)
    t.store(R1, "plane_end")
    t.load(R1, "out")
    t.mov(R11, R1)


# Branch to `pixel` until the row ends. The next window is in R12 and moves to R6.
def _next_pixel(t, pixel):
    t.load(R1, "output_step")
    t.add(R11, R1)
    t.mov(R6, R12)
    t.load(R1, "plane_end")
    t.cmp(R6, R1)
    t.branch_far("cc", pixel)


# Unpack a channel's stream of weights of one byte to lanes in scratch memory, so that its weights
# are read from flash once and not for each pixel. The words of the stream are the bias, three
# columns (upper, middle and lower weight, from the highest byte down) and the multiplier. The
# lowest byte of the first column is the right shift. With `paired`, each word for even rows is
# followed by the word for odd rows. r0, r2, r7: weights; r1: target; r3..r5: columns; r6:
# multiplier.
def _unpack(t, paired):
    ready = t.new_label("unpacked")
    t.load(R1, "unpacked")
    t.cmp(R1, 0)
    t.branch("eq", ready)
    t.load(R0, "packed")
    t.mov(R8, R1)
    t.ldm(R0, R2, R3, R4, R5, R6)
    t.store(R0, "packed")
    t.stm(R1, R2)
    odd = (R2,) if paired else ()
    for column in (R3, R4, R5):
        t.asr(R2, column, 24)
        t.lsl(R0, column, 8)
        t.asr(R0, R0, 24)
        t.lsl(R7, R2, 16)
        t.add(R0, R7)
        t.stm(R1, R0, *odd)
    for column in (R3, R4, R5):
        t.lsl(R2, column, 16)
        t.asr(R2, R2, 24)
        t.lsl(R0, R2, 16)
        if paired:
            t.lsl(R7, column, 8)
            t.asr(R7, R7, 24)
            t.lsl(R7, R7, 16)
            t.add(R2, R7)
        t.stm(R1, R0, *odd)
    t.lsl(R4, R3, 24)
    t.lsr(R4, R4, 24)
    t.lsr(R3, R6, 16)
    t.lsl(R2, R6, 16)
    t.lsr(R2, R2, 16)
    t.stm(R1, R2, R3, R4)
    t.label(ready)


# Copy the parameters of a function for 3x3 filters.
def _load_3x3(t):
    load_parameters(t, [*PLANE, "output_zero_point", "unpacked"])
    t.mov(R1, R8)
    t.store(R1, "packed")


_PACKED = ["unpacked", "packed"]

_3X3 = """
Channels of a 3x3 depthwise convolution with stride 1, two rows at a time. `r0` is the address of
a block of parameters (DEPTHWISE in tools/asm/common/parameters.py).
"""


# Rows 2 * j and 2 * j + 1 of the output read the same six words of the plane with different
# weights: (w0, w1), (w2, 0) for the upper row and (0, w0), (w1, w2) for the lower row. r0, r1:
# sums; r2: a word of the plane; r3, r4: weights; r5, r6: two rows of the plane; r7: stream.
def _two_rows(t):
    row, pixel, alone, done = map(t.new_label, ("row", "pixel", "alone", "rows_done"))
    _begin_rows(t)
    t.label(row)
    _begin_row(t)
    t.load(R2, "rows_left")
    t.cmp(R2, 1)
    t.branch_far("eq", alone)
    t.label(pixel)
    _sums(t, both=True)
    t.mov(LR, R0)
    t.mov(R0, R1)
    t.load(R6, "output_zero_point")
    requantize(t, R7)
    t.mov(R1, R11)
    t.load(R2, "output_row")
    t.strb_at(R0, R1, R2)
    t.sub(R7, 12)
    t.mov(R0, LR)
    requantize(t, R7)
    t.mov(R1, R11)
    t.strb(R0, R1)
    _next_pixel(t, pixel)
    t.load(R1, "rows_left")
    t.sub(R1, 2)
    t.store(R1, "rows_left")
    t.branch_far("eq", done)
    t.load(R1, "output_row")
    t.lsl(R1, R1, 1)
    t.load(R2, "out")
    t.add(R1, R2)
    t.store(R1, "out")
    t.load(R6, "plane_end")
    t.add(R6, 8)  # a window is two columns wider than the step
    t.b(row)
    t.note("the last row has no partner")
    t.label(alone)
    _sums(t, both=False)
    t.load(R6, "output_zero_point")
    requantize(t, R7)
    t.mov(R1, R11)
    t.strb(R0, R1)
    _next_pixel(t, alone)
    t.label(done)


# Compute the sums of one column in R0 and, with `both`, R1. Leaves the next window in R12.
def _sums(t, both):
    t.mov(R7, R8)
    t.ldm(R7, R0)
    if both:
        t.mov(R1, R0)
    t.load(R5, "plane_row")
    t.add(R5, R6)
    for line in (R6, R5):
        for column in range(3):
            t.ldr(R2, line, 4 * column)
            t.ldm(R7, R3, R4)
            _multiply(t, R0, R3, R2)
            if both:
                _multiply(t, R1, R4, R2)
    t.add(R6, 4)
    t.mov(R12, R6)


def depthwise_3x3():
    t = Thumb("depthwise_3x3", _3X3, slots=PLANE + OWN + _PACKED)
    _load_3x3(t)
    channels(t, _two_rows, lambda t: _unpack(t, True))
    return t.text()


_3X3_STRIDE_2 = """
Channels of a 3x3 depthwise convolution with a stride of 2 rows. `r0` is the address of a block
of parameters (DEPTHWISE in tools/asm/common/parameters.py).
"""


# r0: sum; r1..r3: weights; r4: a word of the plane; r5, r6: two rows of the plane; r7: stream.
def _every_second_row(t):
    row, pixel = t.new_label("row"), t.new_label("pixel")
    _begin_rows(t)
    t.label(row)
    t.store(R6, "row")
    _begin_row(t)
    t.label(pixel)
    t.mov(R7, R8)
    t.ldm(R7, R0)
    t.load(R5, "plane_row")
    t.add(R5, R6)
    for line in (R6, R5):
        t.ldm(R7, R1, R2, R3)
        for column, weight in enumerate((R1, R2, R3)):
            t.ldr(R4, line, 4 * column)
            _multiply(t, R0, weight, R4)
    t.load(R1, "column_step")
    t.add(R6, R1)
    t.mov(R12, R6)
    t.load(R6, "output_zero_point")
    requantize(t, R7)
    t.mov(R1, R11)
    t.strb(R0, R1)
    _next_pixel(t, pixel)
    done = t.new_label("rows_done")
    t.load(R1, "rows_left")
    t.sub(R1, 1)
    t.store(R1, "rows_left")
    t.branch("eq", done)
    t.load(R1, "output_row")
    t.load(R2, "out")
    t.add(R1, R2)
    t.store(R1, "out")
    t.load(R6, "row")
    t.load(R1, "plane_row")
    t.add(R6, R1)
    t.b(row)
    t.label(done)


def depthwise_3x3_stride_2():
    t = Thumb("depthwise_3x3_stride_2", _3X3_STRIDE_2, slots=PLANE + OWN + ["row"] + _PACKED)
    _load_3x3(t)
    channels(t, _every_second_row, lambda t: _unpack(t, False))
    return t.text()


_ANY = """
Channels of a depthwise convolution of any size. `r0` is the address of a block of parameters
(DEPTHWISE in tools/asm/common/parameters.py).
"""
_ANY_SLOTS = ["stride_height", "filter_width", "even_rows", "odd_rows", "odd_set", "table"]


# A window begins in the upper or in the lower half of a row of the plane; the stream has weights
# for both cases. r0: sum; r1: a word of the plane; r2: weights; r3: rows left; r4: columns left;
# r5, r6: plane; r7: stream; lr: the window's row in the plane.
def _any_rows(t):
    row, pixel, even, line, word = map(t.new_label, ("row", "pixel", "even", "line", "word"))
    _begin_rows(t)
    t.mov(R1, 0)
    t.mov(LR, R1)
    t.label(row)
    t.mov(R1, LR)
    t.lsr(R2, R1, 1)
    t.load(R3, "plane_row")
    t.mul(R2, R3)
    t.load(R6, "plane")
    t.add(R6, R2)
    t.load(R3, "even_rows")
    t.mov(R4, 4)
    t.lsr(R1, R1, 1)
    t.branch("cc", even)
    t.load(R3, "odd_rows")
    t.load(R4, "odd_set")
    t.label(even)
    t.store(R3, "window_rows")
    t.store(R4, "set")
    _begin_row(t)
    t.label(pixel)
    t.mov(R12, R6)
    t.mov(R7, R8)
    t.ldr(R0, R7)
    t.load(R1, "set")
    t.add(R7, R1)
    t.load(R3, "window_rows")
    t.label(line)
    t.mov(R5, R6)
    t.load(R4, "filter_width")
    t.label(word)
    t.ldm(R5, R1)
    t.ldm(R7, R2)
    _multiply(t, R0, R1, R2)
    t.sub(R4, 1)
    t.branch("ne", word)
    t.load(R1, "plane_row")
    t.add(R6, R1)
    t.sub(R3, 1)
    t.branch("ne", line)
    t.load(R1, "column_step")
    t.add(R12, R1)
    t.mov(R7, R8)
    t.load(R1, "table")
    t.add(R7, R1)
    t.load(R6, "output_zero_point")
    requantize(t, R7)
    t.mov(R1, R11)
    t.strb(R0, R1)
    _next_pixel(t, pixel)
    done = t.new_label("rows_done")
    t.load(R1, "rows_left")
    t.sub(R1, 1)
    t.store(R1, "rows_left")
    t.branch("eq", done)
    t.load(R1, "output_row")
    t.load(R2, "out")
    t.add(R1, R2)
    t.store(R1, "out")
    t.load(R1, "stride_height")
    t.add(LR, R1)
    t.b(row)
    t.label(done)


def depthwise_any():
    t = Thumb("depthwise_any", _ANY, slots=PLANE + OWN + _ANY_SLOTS + ["window_rows", "set"])
    load_parameters(t, [*PLANE, "output_zero_point", *_ANY_SLOTS])
    channels(t, _any_rows)
    return t.text()
