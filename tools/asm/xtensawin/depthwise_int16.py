# Generator of the kernel of DEPTHWISE_CONV_2D, int16, for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import DEPTHWISE

from ..common.record import word_of
from .fpu import Fpu
from .window_int16 import (
    ARGUMENTS,
    EVEN,
    FRAME,
    MASK,
    ODD,
    PAIR,
    W,
    X,
    begin,
    outputs,
    set_channels,
    set_rows,
)
from .windows_float import clip_window, first_input, first_window

_ABOUT = """
Pixels `start` to `stop` - 1 of a DEPTHWISE_CONV_2D with as many output channels as input channels.
`op` is the record (DEPTHWISE in prepare/conv_int16.py).
"""
_SLOTS = (
    *FRAME,
    "batch",
    "column",
    "first_height",
    "count_height",
    "at_height",
    "first_width",
    "count_width",
    "at_width",
    "channels",  # bytes of the weights from one cell to the next
    "cell_step",  # bytes of the input
)


# Products of cells. The weight is the upper byte of the lower halfword. ODD and MASK, which other
# kernels need for weights, are the steps.
def _products(t, count):
    end = t.new_label("cells_end")
    t.load(ODD, "channels")
    t.load(MASK, "cell_step")
    t.loopnez(count, end)
    t.l8ui(PAIR, W)
    t.l16ui(EVEN, X)
    t.add(W, W, ODD)
    t.slli(PAIR, PAIR, 8)
    t.add(X, X, MASK)
    t.mula("ll", PAIR, EVEN)
    t.label(end)


def _next_channel(t):
    for slot, size in (("window", 1), ("source", 2)):
        t.load("a2", slot)
        t.addi("a2", "a2", size)
        t.store("a2", slot)


# Set the slots of a pixel from the clipped window; a2 is the record. Uses a3 to a9.
def _window_slots(t):
    word = {name: word_of(DEPTHWISE, name) for name in DEPTHWISE}
    x, width, channels, cells = "a3", "a5", "a6", "a7"
    t.load(channels, "channels")
    t.load(cells, "count_width")
    first_input(t, DEPTHWISE, channels, 1, width)
    t.l32i(x, "a2", word["dilation_height"])
    t.mull(x, x, width)
    t.mull(x, x, channels)
    t.load("a8", "cell_step")
    t.mull("a8", "a8", cells)
    t.add(x, x, x)
    t.sub(x, x, "a8")
    t.store(x, "source_gap")
    first_window(t, DEPTHWISE, channels, "a8")
    t.sub(x, "a8", cells)
    t.mull(x, x, channels)
    t.store(x, "weight_gap")
    t.load(x, "count_height")
    set_rows(t, x, cells)


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip its window to the image; for each channel: sum, output.
def depthwise():
    t = Fpu("depthwise", _ABOUT, ARGUMENTS, _SLOTS)
    pixel, end = t.new_label("pixel"), t.new_label("end")
    begin(t, DEPTHWISE)
    t.l32i("a3", "a2", word_of(DEPTHWISE, "output_channels"))
    t.store("a3", "channels")
    t.l32i("a4", "a2", word_of(DEPTHWISE, "dilation_width"))
    t.mull("a4", "a4", "a3")
    t.add("a4", "a4", "a4")
    t.store("a4", "cell_step")
    t.load("a4", "start")
    t.mull("a3", "a3", "a4")
    t.load("a4", "output")
    t.addx2("a3", "a3", "a4")
    t.store("a3", "to")
    t.label(pixel)
    t.load("a2", "record")
    t.load("a10", "start")
    t.load("a3", "stop")
    t.far("bge", "a10", "a3", end)
    t.addi("a3", "a10", 1)
    t.store("a3", "start")
    clip_window(t, DEPTHWISE, "a10")
    _window_slots(t)
    t.load("a3", "channels")
    set_channels(t, DEPTHWISE, "a3")
    outputs(t, DEPTHWISE, _products, _next_channel)
    t.j(pixel)
    t.label(end)
    return t.text()
