# Generator of the assembler kernel of CONV_2D and FULLY_CONNECTED, float32, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV
from tflm.prepare.fully_connected_float import LAYOUT

from ..common.record import word_of
from .products_float import END, INPUT_HIGH, INPUT_LOW, INPUTS, SUM, WEIGHT, WEIGHTS, Products
from .record_float import (
    RECORD,
    clamp,
    coordinates,
    find_cells,
    limits,
    next_pixel,
    number_done,
    operands,
    require_rows,
)
from .rv32 import Rv32

_ABOUT = """
Outputs of CONV_2D or FULLY_CONNECTED: products of a window and a filter, in order. `a0` is the
address of the record (CONV in prepare/conv_float.py), `a1` of the arena, `a2` of the model. `a3`
is the first output * 1024 + the number of outputs; its complement if the record is LAYOUT in
prepare/fully_connected_float.py. Returns the number of outputs that are done; the next one has
numbers that this function does not multiply, such as infinite ones.
"""

_SLOTS = (
    "input",
    "weights",
    "bias",  # address, 0 without
    "output",  # of the first output
    "count",  # of outputs
    "left",  # of them
    "done",
    "is_connected",  # -1: FULLY_CONNECTED
    "channels",
    "channel",  # the first one of the pixel
    "x",  # of the output
    "y",
    "batch",
    "first_filter",  # address of the weight of the first channel for this input
    "filter_step",  # bytes from one channel to the next
    "rows",  # of the window in the image
    "low",
    "high",
    "low_key",  # bits as integers in the order of the numbers
    "high_key",
)

_WINDOW, _RUN = "s4", "s5"  # the first input in the image; bytes of a row of the window
_ROWS_LEFT, _INPUT_GAP, _WEIGHTS_GAP = "s6", "s7", "s8"
_CHANNELS_LEFT, _FILTER, _BIAS, _OUTPUT = "s9", "s10", "s11", "t6"


# Find the window of the output pixel. At most one run of the window is in a row of the image,
# because its cells touch each other.
def _find_window(t):
    find_cells(t, CONV)
    t.lw("t3", RECORD, word_of(CONV, "input_channels"))
    t.slli("t3", "t3", 2)
    t.mul("t0", "t0", "t3")
    t.load("a0", "input")
    t.add(_WINDOW, "a0", "t0")
    t.mul("t2", "t2", "t3")
    t.load("a0", "weights")
    t.add("a0", "a0", "t2")
    t.store("a0", "first_filter")
    t.mul(_RUN, "a4", "t3")
    t.lw("a0", RECORD, word_of(CONV, "dilation_height"))
    t.mul("a0", "a0", "t1")
    t.mul("a0", "a0", "t3")
    t.sub(_INPUT_GAP, "a0", _RUN)
    t.mul("t4", "t4", "t3")
    t.sub(_WEIGHTS_GAP, "t4", _RUN)
    t.lw("a1", RECORD, word_of(CONV, "filter_height"))
    t.mul("t4", "t4", "a1")
    t.store("t4", "filter_step")
    require_rows(t, _RUN)


# Leave to `bad` where an input of the window is not between the bounds of products_float.py.
def _check_window(t, bad):
    row, value, run_end = map(t.new_label, ("row", "value", "run_end"))
    t.mv("a0", _WINDOW)
    t.load("a1", "rows")
    t.li("a4", INPUT_HIGH - INPUT_LOW)
    t.label(row)
    t.add("a2", "a0", _RUN)
    t.label(value)
    t.branch("beq", "a0", "a2", run_end)
    t.lw("a3", "a0")
    t.addi("a0", "a0", 4)
    t.slli("a3", "a3", 1)
    t.branch("beq", "a3", "zero", value)
    t.srli("a3", "a3", 24)
    t.addi("a3", "a3", -INPUT_LOW)
    t.branch("bgeu", "a4", "a3", value)
    t.jump(bad)
    t.label(run_end)
    t.add("a0", "a0", _INPUT_GAP)
    t.addi("a1", "a1", -1)
    t.branch("bne", "a1", "zero", row)


# Begin with the first output of FULLY_CONNECTED, whose number is in a0.
def _begin_connected(t):
    t.lw("a1", RECORD, word_of(LAYOUT, "channels"))
    t.store("a1", "channels")
    t.remu("a2", "a0", "a1")
    t.store("a2", "channel")
    t.divu("a0", "a0", "a1")
    t.lw(_RUN, RECORD, word_of(LAYOUT, "depth"))
    t.slli(_RUN, _RUN, 2)
    t.store(_RUN, "filter_step")
    t.mul("a0", "a0", _RUN)
    t.load(_WINDOW, "input")
    t.add(_WINDOW, _WINDOW, "a0")
    t.load("a1", "weights")
    t.store("a1", "first_filter")
    t.li("a1", 1)
    t.store("a1", "rows")
    t.li(_INPUT_GAP, 0)
    limits(t, word_of(LAYOUT, "activation_min"))


# Begin with the first output of CONV_2D, whose number is in a0.
def _begin_conv(t):
    t.lw("a1", RECORD, word_of(CONV, "output_channels"))
    t.store("a1", "channels")
    t.remu("a2", "a0", "a1")
    t.store("a2", "channel")
    t.divu("a0", "a0", "a1")
    coordinates(t, CONV)
    limits(t, word_of(CONV, "activation_min"))


# Store the arguments, and begin with the first output.
def _begin(t, window, pixel):
    connected = t.new_label("connected")
    t.mv(RECORD, "a0")
    operands(t, "a1", "a2")
    t.srai("a4", "a3", 31)
    t.store("a4", "is_connected")
    t.xor("a3", "a3", "a4")
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "count")
    t.store("a3", "left")
    t.load(_OUTPUT, "output")
    t.slli("a1", "a0", 2)
    t.add(_OUTPUT, _OUTPUT, "a1")
    t.branch("bne", "a4", "zero", connected)
    _begin_conv(t)
    t.jump(window)
    t.label(connected)
    _begin_connected(t)
    t.jump(pixel)


# Begin with the first channel of a pixel that is left.
def _begin_pixel(t):
    no_bias = t.new_label("no_bias")
    t.load("a0", "channel")
    t.load(_CHANNELS_LEFT, "channels")
    t.sub(_CHANNELS_LEFT, _CHANNELS_LEFT, "a0")
    t.load("a1", "filter_step")
    t.mul("a1", "a1", "a0")
    t.load(_FILTER, "first_filter")
    t.add(_FILTER, _FILTER, "a1")
    t.load(_BIAS, "bias")
    t.branch("beq", _BIAS, "zero", no_bias)
    t.slli("a0", "a0", 2)
    t.add(_BIAS, _BIAS, "a0")
    t.label(no_bias)
    t.store("zero", "channel")


def windows():
    t = Rv32("windows", _ABOUT, 4, _SLOTS)
    names = ("window", "pixel", "output", "run_end", "bias", "finish", "bail", "advance")
    window, pixel, output, run_end, bias, finish, bail, advance = map(t.new_label, names)
    products = Products(t, (None, None), checked=True, run_end=run_end, bail=bail)
    products.begin_function()
    _begin(t, window, pixel)
    t.label(window)
    _find_window(t)
    t.label(pixel)
    _check_window(t, bail)
    _begin_pixel(t)
    t.label(output)
    t.mv(INPUTS, _WINDOW)
    t.mv(WEIGHTS, _FILTER)
    t.add(END, INPUTS, _RUN)
    t.load(_ROWS_LEFT, "rows")
    products.begin_sum()
    t.jump(products.next)
    products.loop()
    t.label(run_end)
    t.addi(_ROWS_LEFT, _ROWS_LEFT, -1)
    t.branch("blt", _ROWS_LEFT, "zero", finish)
    t.branch("beq", _ROWS_LEFT, "zero", bias)
    t.add(INPUTS, INPUTS, _INPUT_GAP)
    t.add(WEIGHTS, WEIGHTS, _WEIGHTS_GAP)
    t.add(END, INPUTS, _RUN)
    t.jump(products.next)
    t.label(bias)
    t.branch("beq", _BIAS, "zero", finish)
    t.lw(WEIGHT, _BIAS)
    t.addi(_BIAS, _BIAS, 4)
    products.add_weight()
    t.label(finish)
    products.result()
    clamp(t)
    t.sw(SUM, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 4)
    t.load("a0", "left")
    t.addi("a0", "a0", -1)
    t.store("a0", "left")
    t.branch("beq", "a0", "zero", bail)
    t.load("a1", "filter_step")
    t.add(_FILTER, _FILTER, "a1")
    t.addi(_CHANNELS_LEFT, _CHANNELS_LEFT, -1)
    t.branch("bne", _CHANNELS_LEFT, "zero", output)
    t.load("a0", "is_connected")
    t.branch("beq", "a0", "zero", advance)
    t.add(_WINDOW, _WINDOW, _RUN)
    t.jump(pixel)
    t.label(advance)
    next_pixel(t, CONV, window)
    number_done(t, bail)
    return t.text("done")
