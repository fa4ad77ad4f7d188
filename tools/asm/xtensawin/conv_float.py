# Generator of the kernel of CONV_2D, float32, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import CONV

from ..common.record import word_of
from .channels_float import (
    ARGUMENTS,
    SUMS,
    begin_pair,
    channel_addresses,
    channel_outputs,
    end_pair,
    load_limits,
    pair_products,
    single_products,
)
from .conv_float_window import INDEX, SLOTS, TAPS, add_rows, set_window
from .fpu import Fpu
from .windows_float import begin, clip_window, count_pixels

_ABOUT = """
Outputs `start` to `stop` - 1 of a CONV_2D. `op` is the record (CONV in prepare/conv_float.py).
"""
_WEIGHTS = ("a4", "a5", "a6", "a7")
_MORE_WEIGHTS = ("a10", "a11", "a12", "a13")  # of the last four channels of eight


# Steps:
# 1. Find the addresses of the operands.
# 2. Take the next pixel, or an even number of pixels of a row that have all columns of the window.
# 3. For each four or eight channels: sums of all taps, bias, outputs.
def convolve():
    t = Fpu("convolve", _ABOUT, ARGUMENTS, SLOTS)
    word = {name: word_of(CONV, name) for name in CONV}
    begin(t, CONV, True)
    t.l32i("a3", "a2", word["filter_height"])
    for name in ("filter_width", "filter_channels"):
        t.l32i("a4", "a2", word[name])
        t.mull("a3", "a3", "a4")
    t.slli("a3", "a3", 2)
    t.store("a3", "filter_bytes")
    t.l32i("a3", "a2", word["stride_width"])
    t.l32i("a4", "a2", word["input_channels"])
    t.mull("a3", "a3", "a4")
    t.slli("a3", "a3", 2)
    t.store("a3", "pixel_step")
    t.l32i("a3", "a2", word["output_channels"])
    t.slli("a3", "a3", 2)
    t.store("a3", "output_step")

    tile, group, end = map(t.new_label, ("tile", "group", "end"))
    t.label(tile)
    t.load("a2", "record")
    t.load("a3", "start")
    t.load("a4", "stop")
    t.far("bge", "a3", "a4", end)
    t.l32i("a5", "a2", word["output_channels"])
    t.quou("a10", "a3", "a5")
    t.mull("a6", "a10", "a5")
    t.load("a7", "output")
    t.addx4("a7", "a6", "a7")
    t.store("a7", "pixel_output")
    t.sub("a6", "a3", "a6")
    t.store("a6", "channel")
    clip_window(t, CONV, "a10")
    count_pixels(t, CONV, True)
    set_window(t)
    # The channels and pixels of the tile, and the unit after it.
    one, known = map(t.new_label, ("one", "known"))
    t.load("a3", "start")
    t.load("a4", "pixels")
    t.load("a5", "channel")
    t.l32i("a6", "a2", word["output_channels"])
    t.addi("a7", "a4", -1)
    t.beqz("a7", one)
    t.mull("a7", "a4", "a6")
    t.add("a3", "a3", "a7")
    t.j(known)
    t.label(one)
    t.load("a7", "stop")
    t.sub("a7", "a7", "a3")
    t.add("a7", "a7", "a5")
    t.min("a6", "a6", "a7")
    t.sub("a7", "a6", "a5")
    t.add("a3", "a3", "a7")
    t.label(known)
    t.store("a6", "channels_end")
    t.store("a3", "start")

    # Channels of one group of the filters, from a5 on.
    t.label(group)
    t.load("a2", "record")
    t.load("a5", "channel")
    t.l32i("a4", "a2", word["group_channels"])
    t.quou("a3", "a5", "a4")
    t.mull("a6", "a3", "a4")
    t.add("a6", "a6", "a4")
    t.load("a4", "channels_end")
    t.min("a6", "a6", "a4")
    t.sub("a6", "a6", "a5")
    t.store("a6", "left")
    t.mov("a15", "a6")
    t.l32i("a4", "a2", word["filter_channels"])
    t.mull("a3", "a3", "a4")
    t.load("a4", "source")
    t.addx4("a3", "a3", "a4")
    t.load("a4", "window")
    t.sub("a3", "a3", "a4")
    t.store("a3", "x")
    t.load("a3", "pixel_output")
    t.addx4("a3", "a5", "a3")
    t.store("a3", "y")
    t.load("a14", "filter_bytes")
    t.mull("a4", "a5", "a14")
    t.load("a3", "weights")
    t.add(_WEIGHTS[0], "a4", "a3")
    single, next_group = map(t.new_label, ("single", "next_group"))
    t.load("a3", "pixels")
    t.srli("a3", "a3", 1)
    t.store("a3", "pairs")
    t.far_zero("beqz", "a3", single)
    channel_addresses(t, _WEIGHTS, "a14", "a15")
    _pairs(t)
    t.movi("a4", 4)
    t.j(next_group)
    t.label(single)
    _single(t)
    t.movi("a4", 8)
    t.label(next_group)
    t.load("a3", "left")
    t.min("a3", "a3", "a4")
    t.load("a4", "channel")
    t.add("a3", "a3", "a4")
    t.store("a3", "channel")
    t.load("a4", "channels_end")
    t.far("blt", "a3", "a4", group)
    t.j(tile)
    t.label(end)
    return t.text()


# Outputs of four channels of all pixels of the tile, two pixels at a time.
def _pairs(t):
    pair, inputs = t.new_label("pair"), ("a2", "a3")
    t.label(pair)
    t.load("a2", "x")
    t.load("a9", "pixel_step")
    t.add("a3", "a2", "a9")
    t.add("a9", "a3", "a9")
    t.store("a9", "x")
    begin_pair(t, INDEX)
    t.load(INDEX, "window")

    def products():
        pair_products(t, inputs, _WEIGHTS, INDEX, TAPS)

    add_rows(t, products, inputs, ("a10", "a11", "a12"))
    end_pair(t)
    t.load("a2", "record")
    load_limits(t, CONV, "a2")
    t.load("a10", "y")
    t.load("a9", "output_step")
    t.add("a11", "a10", "a9")
    t.add("a9", "a11", "a9")
    t.store("a9", "y")
    t.load("a9", "left")
    channel_outputs(t, 4, ("a10", "a11"), _bias(t, "a12", "a13"), "a9")
    t.load("a9", "pairs")
    t.addi("a9", "a9", -1)
    t.store("a9", "pairs")
    t.far_zero("bnez", "a9", pair)


# The address of the first channel's bias, or 0.
def _bias(t, to, spare):
    t.load(to, "bias")
    t.load(spare, "channel")
    t.addx4(spare, spare, to)
    t.movnez(to, spare, to)
    return to


# Outputs of up to eight channels of one pixel.
def _single(t):
    weights, inputs, spare = (*_WEIGHTS, *_MORE_WEIGHTS), ("a2",), ("a14", "a15", "a3")
    channel_addresses(t, weights, "a14", "a15")
    four, joined = map(t.new_label, ("four", "joined"))
    t.load("a2", "x")
    t.zero(SUMS, "a3")
    t.load(INDEX, "window")
    t.load("a3", "left")
    t.movi("a15", 5)
    t.far("blt", "a3", "a15", four)
    for count in (8, 4):

        def products(count=count):
            single_products(t, inputs[0], weights[:count], INDEX, TAPS)

        add_rows(t, products, inputs, spare)
        if count == 8:
            t.j(joined)
            t.label(four)
    t.label(joined)
    t.load("a2", "record")
    load_limits(t, CONV, "a2")
    t.load("a10", "y")
    t.load("a9", "left")
    channel_outputs(t, 8, ("a10",), _bias(t, "a12", "a13"), "a9")
