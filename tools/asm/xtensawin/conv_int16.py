# Generator of the kernels of CONV_2D and FULLY_CONNECTED, int16, for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_int16 import CONV
from tflm.prepare.fully_connected_int16 import LAYOUT

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

_CONV_ABOUT = """
Pixels `start` to `stop` - 1 of a CONV_2D with one group, whose cells in a row touch each other in
the image. `op` is the record (CONV in prepare/conv_int16.py), with a bias of int64 or none.
"""
_CONNECT_ABOUT = """
Channels `start` to `stop` - 1 of a FULLY_CONNECTED without zero points. `op` is the record (LAYOUT
in prepare/fully_connected_int16.py), with a bias of int64 or none.
"""
_WINDOW_SLOTS = (
    "batch",
    "column",
    "first_height",
    "count_height",
    "at_height",
    "first_width",
    "count_width",
    "at_width",
)
_FILTER_BYTES = "filter_bytes"  # weights of a channel


# Products of contiguous taps, four at a time. Where both addresses are multiples of 4, words are
# loaded: EVEN has the weights 0 and 2 of a word, ODD the weights 1 and 3.
def _products(t, count):
    single, words_end, fours_end, end = map(
        t.new_label, ("single", "words_end", "fours_end", "taps_end")
    )
    t.or_(PAIR, X, W)
    t.extui(PAIR, PAIR, 0, 2)
    t.bnez(PAIR, single)
    t.srli(EVEN, count, 2)
    t.extui(count, count, 0, 2)
    t.addi(X, X, -4)  # LDINC advances before it loads
    t.loopnez(EVEN, words_end)
    t.l32i(PAIR, W)
    t.ldinc("m0", X)
    t.and_(ODD, PAIR, MASK)
    t.ldinc("m1", X)
    t.slli(EVEN, PAIR, 8)
    t.addi(W, W, 4)
    t.and_(EVEN, EVEN, MASK)
    t.mula("ll", "m0", EVEN)
    t.mula("hl", "m0", ODD)
    t.mula("lh", "m1", EVEN)
    t.mula("hh", "m1", ODD)
    t.label(words_end)
    t.addi(X, X, 4)
    t.label(single)
    t.srli(EVEN, count, 2)
    t.extui(count, count, 0, 2)
    t.loopnez(EVEN, fours_end)
    for i in range(4):
        t.l8ui(PAIR, W, i)
        t.l16ui(ODD, X, 2 * i)
        if i == 3:
            t.addi(W, W, 4)
        t.slli(PAIR, PAIR, 8)
        if i == 3:
            t.addi(X, X, 8)
        t.mula("ll", PAIR, ODD)
    t.label(fours_end)
    t.loopnez(count, end)
    t.l8ui(PAIR, W)
    t.l16ui(EVEN, X)
    t.addi(W, W, 1)
    t.slli(PAIR, PAIR, 8)
    t.addi(X, X, 2)
    t.mula("ll", PAIR, EVEN)
    t.label(end)


def _next_channel(t):
    t.load("a2", "window")
    t.load("a3", _FILTER_BYTES)
    t.add("a2", "a2", "a3")
    t.store("a2", "window")


# Set the slots of a pixel from the clipped window; a2 is the record. Uses a3 to a9.
def _window_slots(t):
    word = {name: word_of(CONV, name) for name in CONV}
    x, width, depth, taps = "a3", "a5", "a6", "a7"
    t.l32i(depth, "a2", word["input_channels"])
    t.load(taps, "count_width")
    t.mull(taps, taps, depth)
    first_input(t, CONV, depth, 1, width)
    t.l32i(x, "a2", word["dilation_height"])
    t.mull(x, x, width)
    t.mull(x, x, depth)
    t.sub(x, x, taps)
    t.add(x, x, x)
    t.store(x, "source_gap")
    first_window(t, CONV, depth, "a8")
    t.mull("a8", "a8", depth)
    t.sub(x, "a8", taps)
    t.store(x, "weight_gap")
    t.l32i(x, "a2", word["filter_height"])
    t.mull(x, x, "a8")
    t.store(x, _FILTER_BYTES)
    t.load(x, "count_height")
    set_rows(t, x, taps)


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip its window to the image; for each channel: sum, output.
def windows():
    t = Fpu("windows", _CONV_ABOUT, ARGUMENTS, (*FRAME, *_WINDOW_SLOTS, _FILTER_BYTES))
    pixel, end = t.new_label("pixel"), t.new_label("end")
    begin(t, CONV)
    t.l32i("a3", "a2", word_of(CONV, "output_channels"))
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
    clip_window(t, CONV, "a10")
    _window_slots(t)
    t.l32i("a3", "a2", word_of(CONV, "output_channels"))
    set_channels(t, CONV, "a3")
    outputs(t, CONV, _products, _next_channel)
    t.j(pixel)
    t.label(end)
    return t.text()


# Steps:
# 1. Find the addresses of the operands.
# 2. For each vector of inputs, which is a window of one row, and each channel: sum, output.
def connect():
    t = Fpu("connect", _CONNECT_ABOUT, ARGUMENTS, (*FRAME, _FILTER_BYTES, "batches_left"))
    word = {name: word_of(LAYOUT, name) for name in LAYOUT}
    batch, end = t.new_label("batch"), t.new_label("end")
    begin(t, LAYOUT)
    t.load("a10", "start")
    t.load("a3", "stop")
    t.far("bge", "a10", "a3", end)
    t.l32i("a3", "a2", word["batches"])
    t.store("a3", "batches_left")
    t.l32i("a4", "a2", word["depth"])
    t.store("a4", _FILTER_BYTES)
    t.movi("a3", 0)
    t.store("a3", "source_gap")
    t.store("a3", "weight_gap")
    t.load("a3", "input")
    t.store("a3", "source")
    t.movi("a3", 1)
    set_rows(t, "a3", "a4")
    t.load("a3", "output")
    t.addx2("a3", "a10", "a3")
    t.store("a3", "to")
    t.label(batch)
    t.load("a3", "batches_left")
    t.far_zero("beqz", "a3", end)
    t.addi("a3", "a3", -1)
    t.store("a3", "batches_left")
    t.load("a2", "record")
    t.load("a10", "start")
    t.l32i("a3", "a2", word["depth"])
    t.mull("a3", "a3", "a10")
    t.load("a4", "weights")
    t.add("a4", "a4", "a3")
    t.store("a4", "window")
    t.load("a3", "stop")
    t.sub("a3", "a3", "a10")
    set_channels(t, LAYOUT, "a3", "a10")
    outputs(t, LAYOUT, _products, _next_channel)
    # The next vector, and its output of the first channel.
    t.load("a2", "record")
    t.load("a3", "source")
    t.l32i("a4", "a2", word["depth"])
    t.addx2("a3", "a4", "a3")
    t.store("a3", "source")
    t.l32i("a3", "a2", word["output_channels"])
    t.load("a4", "stop")
    t.sub("a3", "a3", "a4")
    t.load("a4", "start")
    t.add("a3", "a3", "a4")
    t.load("a4", "to")
    t.addx2("a3", "a3", "a4")
    t.store("a3", "to")
    t.j(batch)
    t.label(end)
    return t.text()
