# Generator of the assembler kernel of AVERAGE_POOL_2D and MAX_POOL_2D, int16, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling import POOLING

from .float_record import RECORD, address, at, first_and_count
from .rv32 import Rv32

_ABOUT = """
Rows of AVERAGE_POOL_2D or MAX_POOL_2D, int16. `a0` is the address of the record (POOLING in
prepare/pooling.py), `a1` of the arena, `a2` of the model. `a3` is the first row of the output *
1024 + the number of rows; if negative, the complement of the only row.
"""

_SLOTS = (
    "input",
    "left",  # rows of the output
    "y",
    "batch",
    "line",  # address of the first row of the window in the image
    "column",  # of the image where the window begins; negative in the padding
    "columns_left",  # of the output
)

# The first input of the channel; bytes of a pixel, of a row of the window, and from its end to the
# next row; rows of the window.
_WINDOW, _PIXEL, _RUN, _GAP, _ROWS = "s4", "s5", "s6", "s7", "s8"
_CHANNELS_LEFT, _OUTPUT, _LOW, _HIGH = "s9", "s10", "s11", "s0"
_MAXIMUM, _CELLS, _HALF = "s1", "s2", "t6"
_TOTAL, _INPUT, _END, _ROWS_LEFT = "a3", "a4", "a5", "a6"
_VALUES = "t0", "t1"


# Clamp a window that begins at a0 to the image: a0 becomes its first row or column in the image,
# a1 the one after its last, a2 the size of the image.
def _clamp_window(t, side):
    inside, ready = map(t.new_label, ("inside", "clamped"))
    t.lw("a1", RECORD, at(POOLING, "filter_" + side))
    t.lw("a2", RECORD, at(POOLING, "input_" + side))
    t.add("a1", "a1", "a0")
    t.branch("bge", "a2", "a1", inside)
    t.mv("a1", "a2")
    t.label(inside)
    t.branch("bge", "a0", "zero", ready)
    t.li("a0", 0)
    t.label(ready)


# Find the rows of the window.
def _begin_row(t):
    t.load("a0", "y")
    t.lw("a1", RECORD, at(POOLING, "stride_height"))
    t.mul("a0", "a0", "a1")
    t.lw("a1", RECORD, at(POOLING, "padding_height"))
    t.sub("a0", "a0", "a1")
    _clamp_window(t, "height")
    t.sub(_ROWS, "a1", "a0")
    t.load("a1", "batch")
    t.mul("a1", "a1", "a2")
    t.add("a1", "a1", "a0")
    t.lw("a2", RECORD, at(POOLING, "input_width"))
    t.mul("a1", "a1", "a2")
    t.mul("a1", "a1", _PIXEL)
    t.load("a2", "input")
    t.add("a1", "a1", "a2")
    t.store("a1", "line")
    t.lw("a1", RECORD, at(POOLING, "padding_width"))
    t.sub("a1", "zero", "a1")
    t.store("a1", "column")
    t.lw("a1", RECORD, at(POOLING, "output_width"))
    t.store("a1", "columns_left")


# Find the columns of the window.
def _begin_pixel(t):
    t.load("a0", "column")
    t.lw("a1", RECORD, at(POOLING, "stride_width"))
    t.add("a1", "a1", "a0")
    t.store("a1", "column")
    _clamp_window(t, "width")
    t.sub("a1", "a1", "a0")
    t.mul(_CELLS, _ROWS, "a1")
    t.srli(_HALF, _CELLS, 1)
    t.mul(_RUN, "a1", _PIXEL)
    t.mul("a2", "a2", _PIXEL)
    t.sub(_GAP, "a2", _RUN)
    t.mul("a0", "a0", _PIXEL)
    t.load("a1", "line")
    t.add(_WINDOW, "a0", "a1")
    t.lw(_CHANNELS_LEFT, RECORD, at(POOLING, "channels"))


# Visit the cells of the window: visit(value) adds a register with an input to _TOTAL.
def _cells(t, visit):
    row, cell = t.new_label("row"), t.new_label("cell")
    t.mv(_INPUT, _WINDOW)
    t.mv(_ROWS_LEFT, _ROWS)
    t.label(row)
    t.add(_END, _INPUT, _RUN)
    t.label(cell)
    t.lh(_VALUES[0], _INPUT)
    t.add(_INPUT, _INPUT, _PIXEL)
    visit(_VALUES[0])
    t.branch("bne", _INPUT, _END, cell)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.add(_INPUT, _INPUT, _GAP)
    t.branch("bne", _ROWS_LEFT, "zero", row)


# Divide the sum by the number of cells; halves are rounded away from zero.
def _average(t):
    t.srai("t0", _TOTAL, 31)
    t.xor(_TOTAL, _TOTAL, "t0")
    t.sub(_TOTAL, _TOTAL, "t0")
    t.add(_TOTAL, _TOTAL, _HALF)
    t.divu(_TOTAL, _TOTAL, _CELLS)
    t.xor(_TOTAL, _TOTAL, "t0")
    t.sub(_TOTAL, _TOTAL, "t0")


# Store the arguments, and begin with the first row.
def _begin(t):
    t.mv(RECORD, "a0")
    address(t, "t2", at(POOLING, "input"), "a1", "a2")
    t.store("t2", "input")
    address(t, _OUTPUT, at(POOLING, "output"), "a1", "a2")
    first_and_count(t)
    t.store("a3", "left")
    for register, name in (
        (_MAXIMUM, "maximum"),
        (_LOW, "activation_min"),
        (_HIGH, "activation_max"),
        (_PIXEL, "channels"),
        ("a1", "output_width"),
    ):
        t.lw(register, RECORD, at(POOLING, name))
    t.slli(_PIXEL, _PIXEL, 1)
    t.mul("a1", "a1", _PIXEL)
    t.mul("a1", "a1", "a0")
    t.add(_OUTPUT, _OUTPUT, "a1")
    t.lw("a1", RECORD, at(POOLING, "output_height"))
    t.remu("a2", "a0", "a1")
    t.divu("a0", "a0", "a1")
    t.store("a2", "y")
    t.store("a0", "batch")


def pool():
    t = Rv32("pool", _ABOUT, 4, _SLOTS)
    names = "row", "pixel", "channel", "average", "clamp", "above", "below", "done"
    row, pixel, channel, average, clamp, above, below, done = map(t.new_label, names)
    _begin(t)
    t.label(row)
    _begin_row(t)
    t.label(pixel)
    _begin_pixel(t)
    t.label(channel)
    t.branch("beq", _MAXIMUM, "zero", average)
    t.mv(_TOTAL, _LOW)

    def keep_larger(value):
        smaller = t.new_label("smaller")
        t.branch("bge", _TOTAL, value, smaller)
        t.mv(_TOTAL, value)
        t.label(smaller)

    _cells(t, keep_larger)
    t.jump(clamp)
    t.label(average)
    t.li(_TOTAL, 0)
    _cells(t, lambda value: t.add(_TOTAL, _TOTAL, value))
    _average(t)
    t.label(clamp)
    t.branch("bge", _TOTAL, _LOW, above)
    t.mv(_TOTAL, _LOW)
    t.label(above)
    t.branch("bge", _HIGH, _TOTAL, below)
    t.mv(_TOTAL, _HIGH)
    t.label(below)
    t.sh(_TOTAL, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 2)
    t.addi(_WINDOW, _WINDOW, 2)
    t.addi(_CHANNELS_LEFT, _CHANNELS_LEFT, -1)
    t.branch("bne", _CHANNELS_LEFT, "zero", channel)
    t.load("a0", "columns_left")
    t.addi("a0", "a0", -1)
    t.store("a0", "columns_left")
    t.branch("bne", "a0", "zero", pixel)
    t.load("a0", "left")
    t.addi("a0", "a0", -1)
    t.store("a0", "left")
    t.branch("beq", "a0", "zero", done)
    t.load("a0", "y")
    t.addi("a0", "a0", 1)
    t.store("a0", "y")
    t.lw("a1", RECORD, at(POOLING, "output_height"))
    t.branch("bne", "a0", "a1", row)
    t.store("zero", "y")
    t.load("a0", "batch")
    t.addi("a0", "a0", 1)
    t.store("a0", "batch")
    t.jump(row)
    t.label(done)
    return t.text()
