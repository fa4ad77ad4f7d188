# Generator of the assembler kernel of DEPTHWISE_CONV_2D, float32, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..common.record import word_of
from .products_float import END, INPUTS, SUM, WEIGHT, WEIGHTS, Products
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
Pixels of DEPTHWISE_CONV_2D: for each channel the products of its window and its filter, in order.
`a0` is the address of the record (DEPTHWISE in prepare/conv_float.py), `a1` of the arena, `a2` of
the model. `a3` is the first pixel * 1024 + the number of pixels. Returns the number of pixels that
are done; the next one has numbers that this function does not multiply, such as infinite ones.
"""

_SLOTS = (
    "input",
    "weights",
    "bias",  # address, 0 without
    "output",  # of the first output
    "count",  # of pixels
    "left",  # of them
    "done",
    "multiplier",  # output channels of an input channel
    "uses_left",  # of the input channel
    "channels_left",
    "x",  # of the output
    "y",
    "batch",
    "rows",  # of the window in the image
    "input_gap",  # bytes from the end of a run to the next one
    "weights_gap",
    "low",
    "high",
    "low_key",  # bits as integers in the order of the numbers
    "high_key",
)

# The first input of the channel in the image, the bytes from the first cell of a row to the end of
# the last one, and the bytes from one cell to the next.
_WINDOW, _RUN, _INPUT_STEP, _WEIGHT_STEP = "s4", "s5", "s6", "s7"
_ROWS_LEFT, _FILTER, _BIAS, _OUTPUT = "s8", "s9", "s10", "t6"
_LIMIT = "s11"


# Find the window of the first channel of the output pixel.
def _find_window(t):
    find_cells(t, DEPTHWISE)
    t.lw("t3", RECORD, word_of(DEPTHWISE, "input_channels"))
    t.slli("t3", "t3", 2)
    t.mul("t0", "t0", "t3")
    t.load("a0", "input")
    t.add(_WINDOW, "a0", "t0")
    t.mul("t2", "t2", _WEIGHT_STEP)
    t.load("a0", "weights")
    t.add(_FILTER, "a0", "t2")
    t.mul(_RUN, "a4", _INPUT_STEP)
    t.lw("a0", RECORD, word_of(DEPTHWISE, "dilation_height"))
    t.mul("a0", "a0", "t1")
    t.mul("a0", "a0", "t3")
    t.sub("a0", "a0", _RUN)
    t.store("a0", "input_gap")
    t.sub("t4", "t4", "a4")
    t.mul("t4", "t4", _WEIGHT_STEP)
    t.store("t4", "weights_gap")
    require_rows(t, _RUN)


# Store the arguments, and begin with the first pixel.
def _begin(t):
    t.mv(RECORD, "a0")
    operands(t, "a1", "a2")
    t.srli("a0", "a3", 10)
    t.andi("a3", "a3", 1023)
    t.store("a3", "count")
    t.store("a3", "left")
    t.lw("a4", RECORD, word_of(DEPTHWISE, "output_channels"))
    t.slli(_WEIGHT_STEP, "a4", 2)
    t.mul("a1", _WEIGHT_STEP, "a0")
    t.load(_OUTPUT, "output")
    t.add(_OUTPUT, _OUTPUT, "a1")
    t.lw("a5", RECORD, word_of(DEPTHWISE, "input_channels"))
    t.divu("a4", "a4", "a5")
    t.store("a4", "multiplier")
    t.lw("a1", RECORD, word_of(DEPTHWISE, "dilation_width"))
    t.mul(_INPUT_STEP, "a5", "a1")
    t.slli(_INPUT_STEP, _INPUT_STEP, 2)
    coordinates(t, DEPTHWISE)
    limits(t, word_of(DEPTHWISE, "activation_min"))


# Store an output, and go to the next one at `output`, `window` or `bail`.
def _finish(t, output, window, bail):
    same = t.new_label("same_input")
    clamp(t)
    t.sw(SUM, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 4)
    t.addi(_FILTER, _FILTER, 4)
    t.load("a0", "uses_left")
    t.addi("a0", "a0", -1)
    t.branch("bne", "a0", "zero", same)
    t.addi(_WINDOW, _WINDOW, 4)
    t.load("a0", "multiplier")
    t.label(same)
    t.store("a0", "uses_left")
    t.load("a0", "channels_left")
    t.addi("a0", "a0", -1)
    t.store("a0", "channels_left")
    t.branch("bne", "a0", "zero", output)
    t.load("a0", "left")
    t.addi("a0", "a0", -1)
    t.store("a0", "left")
    t.branch("beq", "a0", "zero", bail)
    next_pixel(t, DEPTHWISE, window)


def depthwise():
    t = Rv32("depthwise", _ABOUT, 4, _SLOTS)
    names = ("window", "output", "run_end", "bias", "finish", "bail")
    window, output, run_end, bias, finish, bail = map(t.new_label, names)
    products = Products(
        t, (_INPUT_STEP, _WEIGHT_STEP), checked=False, run_end=run_end, bail=bail, limit=_LIMIT
    )
    products.begin_function()
    _begin(t)
    t.label(window)
    _find_window(t)
    t.lw("a0", RECORD, word_of(DEPTHWISE, "output_channels"))
    t.store("a0", "channels_left")
    t.load(_BIAS, "bias")
    t.load("a0", "multiplier")
    t.store("a0", "uses_left")
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
    t.load("t0", "input_gap")
    t.add(INPUTS, INPUTS, "t0")
    t.load("t0", "weights_gap")
    t.add(WEIGHTS, WEIGHTS, "t0")
    t.add(END, INPUTS, _RUN)
    t.jump(products.next)
    t.label(bias)
    t.branch("beq", _BIAS, "zero", finish)
    t.lw(WEIGHT, _BIAS)
    t.addi(_BIAS, _BIAS, 4)
    products.add_weight()
    t.label(finish)
    products.result()
    _finish(t, output, window, bail)
    number_done(t, bail)
    return t.text("done")
