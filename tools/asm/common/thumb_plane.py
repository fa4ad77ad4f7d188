# Assembler macros of DEPTHWISE_CONV_2D for Thumb: the plane of lanes of each channel
# MIT license; Copyright (c) 2026 the tflm authors

from .parameters import DEPTHWISE, at
from .thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, R10, R12


def _at(name):
    return at(DEPTHWISE, name)


# Copy parameters to slots of the same names, and the limits of the output to R9 and R10.
def load_parameters(t, names):
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


PLANE = ["channels", "line", "line_step", "row_bytes", "height", "first_row", "left", "columns"]
PLANE += ["right", "fill", "plane", "plane_row", "pair_rows", "multiplier", "uses"]
PLANE += ["output", "output_step", "output_row", "rows", "width", "column_step"]
OWN = ["zero", "output_zero_point", "beside", "plane_stop", "plane_end", "out", "rows_left"]


# Store `count` (a slot) words of zero points at R6, which advances. Uses R4, R7.
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


# Build one column: a word of the plane from a byte of each of two rows.
def _column(t):
    t.ldrsb_at(R4, R0, R2)
    t.add(R0, R2)
    t.ldrsb_at(R5, R1, R3)
    t.add(R1, R3)
    t.pack(R4, R5)
    t.stm(R6, R4)


# Compute how many columns of padding separate the image's columns of two rows of the plane, and
# the end of the plane.
def _begin_planes(t):
    t.load(R1, "left")
    t.load(R2, "right")
    t.add(R1, R2)
    t.store(R1, "beside")
    t.load(R1, "plane_row")
    t.load(R2, "pair_rows")
    t.mul(R1, R2)
    t.load(R2, "plane")
    t.add(R1, R2)
    t.store(R1, "plane_stop")


# Build the plane of one channel: word (j, x) has rows 2 * j and 2 * j + 1 of column x as lanes,
# and zero points outside of the image. A missing row reads the zero point's byte repeatedly. The
# zero points at the right of a row and at the left of the next row are written together; the
# `left` words too many at the end fit the scratch buffer. r0, r1: the two rows, one column before;
# r2, r3: their steps; r12: next row; lr: its number.
def _build_plane(t):
    pair, first_there, both_there, even, column, next_pair = map(
        t.new_label, ("pair", "first_there", "both_there", "even", "column", "next_pair")
    )
    t.load(R6, "plane")
    t.load(R4, "first_row")
    t.mov(LR, R4)
    t.load(R4, "line")
    t.mov(R12, R4)
    _fill(t, "left")
    t.label(pair)
    t.mov(R0, R12)
    t.load(R4, "row_bytes")
    t.add(R1, R0, R4)
    t.add(R4, R1)
    t.mov(R12, R4)
    t.load(R2, "line_step")
    t.mov(R3, R2)
    t.load(R4, "height")
    t.mov(R5, LR)
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
    t.mov(LR, R5)
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
    _fill(t, "beside")
    t.load(R4, "plane_stop")
    t.cmp(R6, R4)
    t.branch("cc", pair)


# The loop over channels. `rows` emits the code for all rows of the output, which leaves the end of
# the channel's stream in R7. `unpack`, if given, emits the code before the rows. The plane of an
# input channel serves several output channels.
def channels(t, rows, unpack=None):
    channel, ready, same, done = map(t.new_label, ("channel", "ready", "same", "done"))
    _begin_planes(t)
    t.label(channel)
    _build_plane(t)
    t.label(ready)
    if unpack:
        unpack(t)
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
