# Generator of the sums of DEPTHWISE_CONV_2D, float32 with weights of int8, for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.hybrid import HYBRID

from .channels_float import ARGUMENTS, word_of
from .fpu import Fpu
from .hybrid_sums import FRAME, begin, begin_pixel, end_pixel, first_input

_ABOUT = """
Sums of products of quantized inputs, less their zero points, and weights of int8, stored as int32
in the place of the outputs `start` to `stop` - 1. Each group has one input channel. `op` is the
record (HYBRID in prepare/hybrid.py).
"""
_SLOTS = (
    *FRAME,
    "source",  # address of the first input of the next channel
    "window",  # address of the first weight of the next channel
    "group",  # output channels of an input channel
    "group_left",  # output channels of the next input channel
    "cells",  # of a row of the window in the image
    "row_gap",  # bytes of the input from the end of a row of the window to the next one
    "weight_gap",  # bytes of the weights from the end of a row of the window to the next one
    "unaligned",  # 0 if the cells of four channels are words
    "to",  # address of the next output
    "left",  # outputs of the pixel
)
_X, _W, _INPUTS, _WEIGHTS, _SUMS = "a2", "a3", "a4", "a5", ("a6", "a7", "a8", "a9")
_INPUT, _WEIGHT, _ZERO_POINT, _SIGNS, _STEP, _WEIGHT_STEP = (f"a{i}" for i in range(10, 16))


# Set the slots of a pixel from the clipped window. a2 is the record. Uses a3 to a9.
def _window_slots(t):
    first_input(t, "a5", "a6")
    t.load("a4", "channel")
    t.l32i("a7", "a2", word_of(HYBRID, "group_channels"))
    t.store("a7", "group")
    t.quou("a8", "a4", "a7")
    t.add("a5", "a5", "a8")
    t.store("a5", "source")
    t.mull("a8", "a8", "a7")
    t.sub("a8", "a4", "a8")
    t.sub("a7", "a7", "a8")
    t.store("a7", "group_left")
    # The bytes of the image, a6, and of the weights, a9, from one cell to the next.
    t.l32i("a7", "a2", word_of(HYBRID, "dilation_height"))
    t.l32i("a8", "a2", word_of(HYBRID, "input_width"))
    t.mull("a7", "a7", "a8")
    t.mull("a7", "a7", "a6")
    t.l32i("a8", "a2", word_of(HYBRID, "dilation_width"))
    t.mull("a6", "a6", "a8")
    t.load("a8", "count_width")
    t.store("a8", "cells")
    t.mull("a3", "a8", "a6")
    t.sub("a7", "a7", "a3")
    t.store("a7", "row_gap")
    t.l32i("a9", "a2", word_of(HYBRID, "cell_step"))
    t.l32i("a3", "a2", word_of(HYBRID, "filter_width"))
    t.sub("a8", "a3", "a8")
    t.mull("a8", "a8", "a9")
    t.store("a8", "weight_gap")
    t.load("a7", "first_height")
    t.mull("a7", "a7", "a3")
    t.load("a8", "first_width")
    t.add("a7", "a7", "a8")
    t.mull("a7", "a7", "a9")
    t.add("a7", "a7", "a4")
    t.load("a8", "weights")
    t.add("a7", "a7", "a8")
    t.store("a7", "window")
    # A block of four channels needs words at multiples of 4, and input channels of their own.
    t.l32i("a8", "a2", word_of(HYBRID, "input_channels"))
    for register in ("a5", "a7", "a9"):
        t.or_("a8", "a8", register)
    t.load("a4", "group")
    t.addi("a4", "a4", -1)
    t.extui("a8", "a8", 0, 2)
    t.or_("a8", "a8", "a4")
    t.store("a8", "unaligned")
    for slot, source in (("to", "output"), ("left", "count")):
        t.load("a4", source)
        t.store("a4", slot)


# Add the products of a cell of four channels.
def _four_products(t):
    t.l32i(_INPUTS, _X)
    t.l32i(_WEIGHTS, _W)
    t.add(_X, _X, _STEP)
    t.add(_W, _W, _WEIGHT_STEP)
    t.xor(_INPUTS, _INPUTS, _SIGNS)
    for i, total in enumerate(_SUMS):
        t.extui(_INPUT, _INPUTS, 8 * i, 8)
        if i < 3:
            t.slli(_WEIGHT, _WEIGHTS, 24 - 8 * i)
        t.sub(_INPUT, _INPUT, _ZERO_POINT)
        t.srai(_WEIGHT, _WEIGHT if i < 3 else _WEIGHTS, 24)
        t.mull(_INPUT, _INPUT, _WEIGHT)
        t.add(total, total, _INPUT)


# Add the product of a cell of one channel.
def _product(t):
    t.l8ui(_INPUTS, _X)
    t.l8ui(_WEIGHTS, _W)
    t.add(_X, _X, _STEP)
    t.add(_W, _W, _WEIGHT_STEP)
    t.xor(_INPUTS, _INPUTS, _SIGNS)
    t.slli(_WEIGHTS, _WEIGHTS, 24)
    t.sub(_INPUTS, _INPUTS, _ZERO_POINT)
    t.srai(_WEIGHTS, _WEIGHTS, 24)
    t.mull(_INPUTS, _INPUTS, _WEIGHTS)
    t.add(_SUMS[0], _SUMS[0], _INPUTS)


# Compute `channels` sums, 1 or 4, with the macro products(t) of a cell, and store them.
def _block(t, channels, products):
    row, cells_end, done = map(t.new_label, ("row", "cells_end", "rows_end"))
    rows, cells = _INPUTS, _INPUT
    for total in _SUMS[:channels]:
        t.movi(total, 0)
    t.load("a10", "record")
    t.l32i(_STEP, "a10", word_of(HYBRID, "input_channels"))
    t.l32i(_WEIGHT, "a10", word_of(HYBRID, "dilation_width"))
    t.mull(_STEP, _STEP, _WEIGHT)
    t.l32i(_WEIGHT_STEP, "a10", word_of(HYBRID, "cell_step"))
    t.load(_ZERO_POINT, "zero_point")
    t.movi(_SIGNS, 0x80)
    if channels > 1:
        for bits in (8, 16):
            t.slli(_WEIGHT, _SIGNS, bits)
            t.or_(_SIGNS, _SIGNS, _WEIGHT)
    t.load(_X, "source")
    t.load(_W, "window")
    t.load(rows, "count_height")
    t.load(cells, "cells")
    t.moveqz(rows, cells, cells)
    t.far_zero("beqz", rows, done)
    t.label(row)
    t.store(rows, "rows_left")
    t.load(cells, "cells")
    t.loopnez(cells, cells_end)
    products(t)
    t.label(cells_end)
    t.load(_INPUT, "row_gap")
    t.load(_WEIGHT, "weight_gap")
    t.add(_X, _X, _INPUT)
    t.add(_W, _W, _WEIGHT)
    t.load(rows, "rows_left")
    t.addi(rows, rows, -1)
    t.far_zero("bnez", rows, row)
    t.label(done)
    t.load("a2", "to")
    for i, total in enumerate(_SUMS[:channels]):
        t.s32i(total, "a2", 4 * i)
    t.addi("a2", "a2", 4 * channels)
    t.store("a2", "to")
    t.load("a3", "window")
    t.addi("a3", "a3", channels)
    t.store("a3", "window")
    t.load("a4", "left")
    t.addi("a4", "a4", -channels)
    t.store("a4", "left")


# Advance the inputs by the channel of a block.
def _next_input(t):
    same = t.new_label("same_group")
    t.load("a2", "group_left")
    t.addi("a2", "a2", -1)
    t.bnez("a2", same)
    t.load("a3", "source")
    t.addi("a3", "a3", 1)
    t.store("a3", "source")
    t.load("a2", "group")
    t.label(same)
    t.store("a2", "group_left")


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip its window to the image.
# 3. For four channels at a time, or one: sums of all cells.
def depthwise():
    t = Fpu("depthwise", _ABOUT, ARGUMENTS, (*_SLOTS, "rows_left"))
    pixel, block, single, end, pixel_end = map(
        t.new_label, ("pixel", "block", "single", "end", "pixel_end")
    )
    begin(t)
    t.label(pixel)
    begin_pixel(t, end)
    _window_slots(t)
    t.label(block)
    t.load("a4", "left")
    t.far_zero("beqz", "a4", pixel_end)
    t.load("a3", "unaligned")
    t.far_zero("bnez", "a3", single)
    t.movi("a3", 4)
    t.far("blt", "a4", "a3", single)
    _block(t, 4, _four_products)
    t.load("a3", "source")
    t.addi("a3", "a3", 4)
    t.store("a3", "source")
    t.j(block)
    t.label(single)
    _block(t, 1, _product)
    _next_input(t)
    t.j(block)
    t.label(pixel_end)
    end_pixel(t, pixel)
    t.label(end)
    return t.text()
