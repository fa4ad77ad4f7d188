# Generator of the kernel of DEPTHWISE_CONV_2D, float32, for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.conv_float import DEPTHWISE

from ..common.record import word_of
from .channels_float import (
    ARGUMENTS,
    SUMS,
    channel_outputs,
    load_limits,
)
from .fpu import Fpu
from .windows_float import (
    FRAME,
    begin,
    clip_window,
    count_pixels,
    first_input,
    first_window,
    store_rows,
)

_ABOUT = """
Pixels `start` to `stop` - 1 of a DEPTHWISE_CONV_2D with one output channel for each of four or
more input channels. `op` is the record (DEPTHWISE in prepare/conv_float.py).
"""
_SLOTS = (
    *FRAME,
    "pixel_output",  # address of channel 0 of the tile's first pixel
    "source",  # address of channel 0 in the first cell inside of the image
    "window",  # address of channel 0 of the first cell's weights
    "rows",  # of the filter inside of the image
    "cells",  # of a row of the filter inside of the image
    "row_gap",  # bytes of the input from the end of a row of the filter to the next row
    "weight_gap",  # bytes of the weights from the end of a row of the filter to the next row
    "channel_bytes",  # of all channels of a pixel
    "pixel_step",  # bytes of the input
    "cell_step",  # bytes from one cell to the next, of the input
    "pairs",  # of pixels left
    "x",  # address of the next pixel's inputs
    "y",  # address of the next pixel's outputs
    "offset",  # of the four channels, in bytes
)
_WEIGHTS = ("f8", "f9", "f10", "f11")
_PRODUCTS = ("f12", "f13", "f14", "f15")


# Set the slots of a tile from the clipped window; a2 is the record. Uses a3 to a9.
def _window_slots(t):
    word = {name: word_of(DEPTHWISE, name) for name in DEPTHWISE}
    x, line, width, columns, size = "a3", "a4", "a5", "a6", "a7"
    t.load(size, "channel_bytes")
    t.load(columns, "count_width")
    first_input(t, DEPTHWISE, size, 0, width)
    first_window(t, DEPTHWISE, size, "a8")
    t.sub("a8", "a8", columns)
    t.mull("a8", "a8", size)
    t.store("a8", "weight_gap")
    t.load(line, "cell_step")
    t.mull(line, line, columns)
    t.l32i(x, "a2", word["dilation_height"])
    t.mull(x, x, width)
    t.mull(x, x, size)
    t.sub(x, x, line)
    t.store(x, "row_gap")
    t.store(columns, "cells")
    store_rows(t, columns)


# Steps:
# 1. Find the addresses of the operands.
# 2. Take the next pixel, or an even number of pixels of a row that have all columns of the window.
# 3. For four channels at a time, at the end the last four: sums of all taps, bias, outputs.
def depthwise():
    t = Fpu("depthwise", _ABOUT, ARGUMENTS, _SLOTS)
    word = {name: word_of(DEPTHWISE, name) for name in DEPTHWISE}
    begin(t, DEPTHWISE, False)
    t.l32i("a3", "a2", word["output_channels"])
    t.slli("a3", "a3", 2)
    t.store("a3", "channel_bytes")
    for slot, name in (("pixel_step", "stride_width"), ("cell_step", "dilation_width")):
        t.l32i("a4", "a2", word[name])
        t.mull("a4", "a4", "a3")
        t.store("a4", slot)

    tile, group, single, joined, end = map(
        t.new_label, ("tile", "group", "single", "joined", "end")
    )
    t.label(tile)
    t.load("a2", "record")
    t.load("a3", "start")
    t.load("a4", "stop")
    t.far("bge", "a3", "a4", end)
    t.load("a4", "channel_bytes")
    t.load("a5", "output")
    t.mull("a4", "a4", "a3")
    t.add("a4", "a4", "a5")
    t.store("a4", "pixel_output")
    t.mov("a10", "a3")
    clip_window(t, DEPTHWISE, "a10")
    count_pixels(t, DEPTHWISE, False)
    _window_slots(t)
    t.load("a3", "start")
    t.load("a4", "pixels")
    t.add("a3", "a3", "a4")
    t.store("a3", "start")
    t.movi("a3", 0)
    t.store("a3", "offset")

    t.label(group)
    t.load("a3", "offset")
    t.load("a4", "source")
    t.add("a4", "a4", "a3")
    t.store("a4", "x")
    t.load("a4", "pixel_output")
    t.add("a4", "a4", "a3")
    t.store("a4", "y")
    t.load("a4", "pixels")
    t.srli("a4", "a4", 1)
    t.store("a4", "pairs")
    t.far_zero("beqz", "a4", single)
    pair = t.new_label("pair")
    t.label(pair)
    _tile(t, 2)
    t.load("a9", "pairs")
    t.addi("a9", "a9", -1)
    t.store("a9", "pairs")
    t.far_zero("bnez", "a9", pair)
    t.j(joined)
    t.label(single)
    _tile(t, 1)
    t.label(joined)
    # The next four channels; the last ones may repeat some.
    t.load("a3", "offset")
    t.load("a4", "channel_bytes")
    t.addi("a5", "a3", 16)
    t.addi("a4", "a4", -16)
    t.min("a5", "a5", "a4")
    t.store("a5", "offset")
    t.far("blt", "a3", "a4", group)
    t.j(tile)
    t.label(end)
    return t.text()


# Outputs of four channels of one pixel or two, whose number of cells is the same.
def _tile(t, pixels):
    row, done = map(t.new_label, ("row", "rows_end"))
    inputs, weights, cells, rows, x = ("a2", "a3")[:pixels], "a4", "a5", "a6", "a9"
    t.load("a2", "x")
    if pixels > 1:
        t.load(x, "pixel_step")
        t.add("a3", "a2", x)
        t.add(x, "a3", x)
        t.store(x, "x")
    t.load(weights, "window")
    t.load(x, "offset")
    t.add(weights, weights, x)
    t.zero(SUMS[: 4 * pixels], x)
    t.load("a7", "channel_bytes")
    t.load("a8", "cell_step")
    t.load(rows, "rows")
    t.far_zero("beqz", rows, done)
    t.label(row)
    t.load(cells, "cells")
    end = t.new_label("cells_end")
    t.loopnez(cells, end)
    for i, w in enumerate(_WEIGHTS):
        t.lsi(w, weights, 4 * i)
    t.add(weights, weights, "a7")
    for pixel, address in enumerate(inputs):
        for i, product in enumerate(_PRODUCTS):
            t.lsi(product, address, 4 * i)
        t.add(address, address, "a8")
        for product, w in zip(_PRODUCTS, _WEIGHTS, strict=True):
            t.mul_s(product, product, w)
        for i, product in enumerate(_PRODUCTS):
            total = SUMS[pixels * i + pixel]
            t.add_s(total, total, product)
    t.label(end)
    t.load(x, "row_gap")
    for address in inputs:
        t.add(address, address, x)
    t.load(x, "weight_gap")
    t.add(weights, weights, x)
    t.addi(rows, rows, -1)
    t.far_zero("bnez", rows, row)
    t.label(done)
    t.load("a2", "record")
    load_limits(t, DEPTHWISE, "a2")
    t.load("a10", "y")
    outputs = ("a10", "a11")[:pixels]
    if pixels > 1:
        t.add("a11", "a10", "a7")
        t.add(x, "a11", "a7")
        t.store(x, "y")
    t.load("a12", "bias")
    t.load("a13", "offset")
    t.add("a13", "a13", "a12")
    t.movnez("a12", "a13", "a12")
    t.movi("a9", 4)
    channel_outputs(t, 4, outputs, "a12", "a9")
