# Generator of the assembler kernel of MAX_POOL_2D, float32, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..common.record import word_of
from .products_float import SUM
from .record_float import (
    RECORD,
    address,
    clamp,
    coordinates,
    in_image,
    key,
    limits,
    next_pixel,
)
from .rv32 import Rv32

_ABOUT = """
Pixels of MAX_POOL_2D, float32. `a0` is the address of the record (LAYOUT in
prepare/pooling_float.py), `a1` of the arena, `a2` of the model. `a3` is the first pixel * 1024 +
the number of pixels.
"""

_SLOTS = (
    "input",
    "x",  # of the output
    "y",
    "batch",
    "low",
    "high",
    "low_key",
    "high_key",
)

# The first input of the channel; bytes of a pixel, of a row of the window, and from its end to the
# next row.
_WINDOW, _PIXEL, _RUN, _GAP = "s4", "s5", "s6", "s7"
_ROWS, _CHANNELS_LEFT, _LEFT, _OUTPUT = "s8", "s9", "s10", "t6"
_INFINITY, _INITIAL, _INITIAL_KEY = "s11", "s0", "s1"


# Find the window of the output pixel.
def _find_window(t):
    t.load("a0", "y")
    in_image(t, LAYOUT, "height")
    t.mv(_ROWS, "a4")
    t.load("t0", "batch")
    t.lw("t1", RECORD, word_of(LAYOUT, "input_height"))
    t.mul("t0", "t0", "t1")
    t.add("t0", "t0", "a0")
    t.lw("t1", RECORD, word_of(LAYOUT, "input_width"))
    t.mul("t0", "t0", "t1")
    t.load("a0", "x")
    in_image(t, LAYOUT, "width")
    t.add("t0", "t0", "a0")
    t.mul("t0", "t0", _PIXEL)
    t.load(_WINDOW, "input")
    t.add(_WINDOW, _WINDOW, "t0")
    t.mul(_RUN, "a4", _PIXEL)
    t.mul("t1", "t1", _PIXEL)
    t.sub(_GAP, "t1", _RUN)
    t.lw(_CHANNELS_LEFT, RECORD, word_of(LAYOUT, "channels"))


# Store the arguments, and begin with the first pixel.
def _begin(t):
    t.mv(RECORD, "a0")
    address(t, "t2", word_of(LAYOUT, "input"), "a1", "a2")
    t.store("t2", "input")
    address(t, _OUTPUT, word_of(LAYOUT, "output"), "a1", "a2")
    t.srli("a0", "a3", 10)
    t.andi(_LEFT, "a3", 1023)
    t.lw(_PIXEL, RECORD, word_of(LAYOUT, "channels"))
    t.slli(_PIXEL, _PIXEL, 2)
    t.mul("a1", _PIXEL, "a0")
    t.add(_OUTPUT, _OUTPUT, "a1")
    coordinates(t, LAYOUT)
    limits(t, word_of(LAYOUT, "activation_min"))
    t.li(_INFINITY, 255)
    t.slli(_INFINITY, _INFINITY, 24)
    t.lw(_INITIAL, RECORD, word_of(LAYOUT, "initial"))
    key(t, _INITIAL_KEY, _INITIAL, "t0")


# a0: input; a2: end of a row; a4: key of the largest input, whose bits are in SUM.
def maximum():
    t = Rv32("maximum", _ABOUT, 4, _SLOTS)
    names = ("window", "channel", "cell", "smaller", "done")
    window, channel, cell, smaller, done = map(t.new_label, names)
    _begin(t)
    t.label(window)
    _find_window(t)
    t.label(channel)
    t.mv(SUM, _INITIAL)
    t.mv("a4", _INITIAL_KEY)
    t.mv("a0", _WINDOW)
    t.add("a2", "a0", _RUN)
    t.mv("a1", _ROWS)
    t.label(cell)
    t.lw("a5", "a0")
    t.add("a0", "a0", _PIXEL)
    t.slli("t0", "a5", 1)
    t.branch("bltu", _INFINITY, "t0", smaller)  # a NaN
    key(t, "a6", "a5", "t0")
    t.branch("bge", "a4", "a6", smaller)
    t.mv("a4", "a6")
    t.mv(SUM, "a5")
    t.label(smaller)
    t.branch("bne", "a0", "a2", cell)
    t.add("a0", "a0", _GAP)
    t.add("a2", "a0", _RUN)
    t.addi("a1", "a1", -1)
    t.branch("bne", "a1", "zero", cell)
    clamp(t)
    t.sw(SUM, _OUTPUT)
    t.addi(_OUTPUT, _OUTPUT, 4)
    t.addi(_WINDOW, _WINDOW, 4)
    t.addi(_CHANNELS_LEFT, _CHANNELS_LEFT, -1)
    t.branch("bne", _CHANNELS_LEFT, "zero", channel)
    t.addi(_LEFT, _LEFT, -1)
    t.branch("beq", _LEFT, "zero", done)
    next_pixel(t, LAYOUT, window)
    t.label(done)
    return t.text()
