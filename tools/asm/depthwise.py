# Assembler kernels of DEPTHWISE_CONV_2D: a plane of lanes for each channel
# MIT license; Copyright (c) 2026 the tflm authors

from requantize import requantize
from thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R11, R12, Thumb

# Words of the parameter block.
PARAMETERS = (
    "stream",  # address of the first channel's weights
    "channels",
    "line",  # one column before the first row of the image that the plane begins with
    "line_step",  # bytes from one column of the image to the next
    "row_bytes",  # of the image
    "height",  # of the image
    "first_row",  # of the image in the plane; may be negative
    "left",  # columns of the plane beside the image at the left,
    "columns",  # in it,
    "right",  # and at its right
    "fill",  # lanes of the input's zero point
    "plane",  # where it goes
    "plane_row",  # bytes of a row of the plane, which holds two of the image
    "pair_rows",
    "output",
    "output_step",  # bytes from one column of the output to the next
    "output_row",  # bytes
    "rows",  # of the output
    "width",  # bytes of the plane from the first window of a row to behind the last
    "column_step",  # bytes of the plane from one window to the next
    "multiplier",  # output channels for each input channel
    "uses",  # of the first input channel
    "output_zero_point",
    "activation_min",
    "activation_max",
    "stride_height",  # this and what follows: for filters of any size
    "filter_width",
    "even_rows",  # rows of the plane under a window that begins at an even row of the image,
    "odd_rows",  # at an odd one
    "odd_set",  # where the weights for odd rows begin in a channel's stream, in bytes
    "table",  # and the multiplier
)


def _at(name):
    return 4 * PARAMETERS.index(name)


# Copy parameters to slots of the same names, and the output's limits to R9 and R10.
def _load_parameters(t, names):
    for name in names:
        t.ldr(R1, R0, _at(name))
        t.store(R1, name)
    for name, register in (("activation_min", R9), ("activation_max", R10)):
        t.ldr(R1, R0, _at(name))
        t.mov(register, R1)
    t.ldr(R1, R0, _at("stream"))
    t.mov(R8, R1)
    t.add(R0, _at("fill"))
    t.store(R0, "zero")  # a byte of the input's zero point


_PLANE = ["channels", "line", "line_step", "row_bytes", "height", "first_row", "left", "columns"]
_PLANE += ["right", "fill", "plane", "plane_row", "pair_rows", "multiplier", "uses"]
_PLANE += ["output", "output_step", "output_row", "rows", "width", "column_step"]
_OWN = ["zero", "output_zero_point", "y", "source", "pairs_left", "plane_end", "out", "rows_left"]


# Store `count` (a slot) words of zero points at R6, which moves on.
def _fill(t, count):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.load(R7, count)
    t.cmp(R7, 0)
    t.branch("eq", done)
    t.load(R4, "fill")
    t.label(loop)
    t.stm(R6, R4)
    t.sub(R7, 1)
    t.branch("ne", loop)
    t.label(done)


# One column: a word of the plane from a byte of each of the two rows.
def _column(t):
    t.ldrsb_at(R4, R0, R2)
    t.add(R0, R2)
    t.ldrsb_at(R5, R1, R3)
    t.add(R1, R3)
    t.lsl(R5, R5, 16)
    t.add(R4, R5)
    t.stm(R6, R4)


# The plane of one channel: word (j, x) holds rows 2 * j and 2 * j + 1 of column x as lanes, with
# zero points for what lies beside the image. A row that is missing reads the same byte again.
# r0, r1: the rows, one column before; r2, r3: their steps.
def _build_plane(t):
    pair, first_there, both_there, even, column, next_pair = map(
        t.new_label, ("pair", "first_there", "both_there", "even", "column", "next_pair")
    )
    t.load(R6, "plane")
    t.load(R4, "first_row")
    t.store(R4, "y")
    t.load(R4, "line")
    t.store(R4, "source")
    t.load(R4, "pair_rows")
    t.store(R4, "pairs_left")
    t.label(pair)
    t.load(R0, "source")
    t.load(R4, "row_bytes")
    t.add(R1, R0, R4)
    t.add(R4, R1)
    t.store(R4, "source")
    t.load(R2, "line_step")
    t.mov(R3, R2)
    t.load(R4, "height")
    t.load(R5, "y")
    t.cmp(R5, R4)  # unsigned: rows above the image are large
    t.branch("cc", first_there)
    t.load(R0, "zero")
    t.mov(R2, 0)
    t.label(first_there)
    t.add(R5, 1)
    t.cmp(R5, R4)
    t.branch("cc", both_there)
    t.load(R1, "zero")
    t.mov(R3, 0)
    t.label(both_there)
    t.add(R5, 1)
    t.store(R5, "y")
    _fill(t, "left")
    t.load(R7, "columns")
    t.lsr(R7, R7, 1)
    t.branch("cc", even)
    _column(t)
    t.cmp(R7, 0)
    t.label(even)
    t.branch("eq", next_pair)
    t.label(column)
    _column(t)
    _column(t)
    t.sub(R7, 1)
    t.branch("ne", column)
    t.label(next_pair)
    _fill(t, "right")
    t.load(R4, "pairs_left")
    t.sub(R4, 1)
    t.store(R4, "pairs_left")
    t.branch("ne", pair)


# The loop over channels: `rows` emits the code for all rows of the output, which leaves the
# address behind the channel's stream in R7. An input channel's plane serves several outputs.
def _channels(t, rows):
    channel, ready, same, done = map(t.new_label, ("channel", "ready", "same", "done"))
    t.label(channel)
    _build_plane(t)
    t.label(ready)
    rows(t)
    t.mov(R8, R7)
    t.load(R1, "output")
    t.add(R1, 1)
    t.store(R1, "output")
    t.load(R1, "channels")
    t.sub(R1, 1)
    t.store(R1, "channels")
    t.branch("eq", done)
    t.load(R1, "uses")
    t.sub(R1, 1)
    t.branch("ne", same)
    t.load(R1, "line")
    t.add(R1, 1)
    t.store(R1, "line")
    t.load(R1, "multiplier")
    t.store(R1, "uses")
    t.b(channel)
    t.label(same)
    t.store(R1, "uses")
    t.b(ready)
    t.label(done)


# acc += the rounded upper half of weight * x, see lanes.py; uses up `weight`.
def _multiply(t, acc, weight, x):
    t.mul(weight, x)
    t.asr(weight, weight, 16)
    t.adc(acc, weight)


# Begin all rows: the first window in R6.
def _begin_rows(t):
    t.load(R1, "output")
    t.store(R1, "out")
    t.load(R1, "rows")
    t.store(R1, "rows_left")
    t.load(R6, "plane")


# Begin a row: where its windows end, and its first output.
def _begin_row(t):
    t.load(R1, "width")
    t.add(R1, R6)
    t.store(R1, "plane_end")
    t.load(R1, "out")
    t.mov(R11, R1)


# Go to `pixel` unless the row ends: the next window is in R12 and goes to R6.
def _next_pixel(t, pixel):
    row_done = t.new_label("row_done")
    t.load(R1, "output_step")
    t.add(R11, R1)
    t.mov(R6, R12)
    t.load(R1, "plane_end")
    t.cmp(R6, R1)
    t.branch("cs", row_done)
    t.b(pixel)
    t.label(row_done)


_3X3 = """
Channels of a 3x3 depthwise convolution with stride 1, two rows at a time. `r0` is the address of
a block of parameters (PARAMETERS in tools/asm/depthwise.py).
"""


# Rows 2 * j and 2 * j + 1 of the output need the same six words of the plane, each with other
# weights: (w0, w1), (w2, 0) for the upper one and (0, w0), (w1, w2) for the lower. Where the last
# row is alone, the lower one is stored to the same place, before it.
# r0, r1: sums, r2: a word of the plane, r3, r4: weights, r5, r6: the plane's two rows, r7: stream.
def _two_rows(t):
    row, pixel, two = t.new_label("row"), t.new_label("pixel"), t.new_label("two")
    _begin_rows(t)
    t.label(row)
    _begin_row(t)
    t.load(R1, "output_row")
    t.load(R2, "rows_left")
    t.cmp(R2, 1)
    t.branch("ne", two)
    t.mov(R1, 0)
    t.label(two)
    t.store(R1, "lower")
    t.label(pixel)
    t.mov(R7, R8)
    t.ldm(R7, R0)
    t.mov(R1, R0)
    t.load(R5, "plane_row")
    t.add(R5, R6)
    for line in (R6, R5):
        for column in range(3):
            t.ldr(R2, line, 4 * column)
            t.ldm(R7, R3, R4)
            _multiply(t, R0, R3, R2)
            _multiply(t, R1, R4, R2)
    t.add(R6, 4)
    t.mov(R12, R6)
    t.mov(LR, R0)
    t.mov(R0, R1)
    t.load(R6, "output_zero_point")
    requantize(t, R7, R9, R10)
    t.mov(R1, R11)
    t.load(R2, "lower")
    t.strb_at(R0, R1, R2)
    t.sub(R7, 12)
    t.mov(R0, LR)
    requantize(t, R7, R9, R10)
    t.mov(R1, R11)
    t.strb(R0, R1)
    _next_pixel(t, pixel)
    done = t.new_label("rows_done")
    t.load(R1, "rows_left")
    t.sub(R1, 2)
    t.store(R1, "rows_left")
    t.branch("le", done)
    t.load(R1, "output_row")
    t.lsl(R1, R1, 1)
    t.load(R2, "out")
    t.add(R1, R2)
    t.store(R1, "out")
    t.load(R6, "plane_end")
    t.add(R6, 8)  # a window is two columns wider than the step
    t.b(row)
    t.label(done)


def depthwise_3x3():
    t = Thumb("depthwise_3x3", _3X3, slots=_PLANE + _OWN + ["lower"])
    _load_parameters(t, [*_PLANE, "output_zero_point"])
    _channels(t, _two_rows)
    return t.text()


_3X3_STRIDE_2 = """
Channels of a 3x3 depthwise convolution with a stride of 2 rows. `r0` is the address of a block of
parameters (PARAMETERS in tools/asm/depthwise.py).
"""


# r0: sum, r1..r3: weights, r4: a word of the plane, r5, r6: the plane's two rows, r7: stream.
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
    requantize(t, R7, R9, R10)
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
    t = Thumb("depthwise_3x3_stride_2", _3X3_STRIDE_2, slots=_PLANE + _OWN + ["row"])
    _load_parameters(t, [*_PLANE, "output_zero_point"])
    _channels(t, _every_second_row)
    return t.text()


_ANY = """
Channels of a depthwise convolution of any size. `r0` is the address of a block of parameters
(PARAMETERS in tools/asm/depthwise.py).
"""
_ANY_SLOTS = ["stride_height", "filter_width", "even_rows", "odd_rows", "odd_set", "table"]


# A window begins in the upper or in the lower half of a row of the plane: there are weights for
# both. r0: sum, r1: a word of the plane, r2: weights, r3: rows left, r4: columns left,
# r5, r6: plane, r7: stream; lr: the row of the window in the plane.
def _any_rows(t):
    row, pixel, even, line, word = map(
        t.new_label, ("row", "pixel", "even", "line", "word")
    )
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
    requantize(t, R7, R9, R10)
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
    t = Thumb("depthwise_any", _ANY, slots=_PLANE + _OWN + _ANY_SLOTS + ["window_rows", "set"])
    _load_parameters(t, [*_PLANE, "output_zero_point", *_ANY_SLOTS])
    _channels(t, _any_rows)
    return t.text()
