# Generator of the kernel of AVERAGE_POOL_2D, MAX_POOL_2D and L2_POOL_2D, float32, for the FPU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling_float import LAYOUT

from ..common.record import word_of
from .channels_float import ARGUMENTS, HIGH, LOW, limited, load_limits, operand
from .fpu import Fpu

_ABOUT = """
Pixels `start` to `stop` - 1 of a pool. `op` is the record (LAYOUT in prepare/pooling_float.py).
Ends after a mean of a number of cells that is no power of two: the outputs of this pixel are sums,
and the number of cells is stored in `divisor`. Returns this pixel, or `stop`.
"""
_SLOTS = (
    "record",
    "input",
    "output",  # address of the next output
    "divisor",
    "is_sum",  # 1 for a pixel whose outputs are sums
    "start",  # the next pixel
    "stop",
    "rows",  # of the window inside of the image
    "cells",  # of a row of the window inside of the image
)
_MAXIMUM, _SQUARES = 1, 2  # kinds; the other one is a mean
_VALUES, _CELLS = ("f0", "f1", "f2", "f3"), ("f4", "f5", "f6", "f7")
_FACTOR, _INITIAL = "f8", "f9"
# Registers: the source in the image, a cell, cells and rows left, bytes of a cell, bytes from the
# end of a row of the window to the next row, channels left, the address of the output.
_SOURCE, _CELL, _COLUMNS, _ROWS, _STEP, _GAP, _LEFT, _OUTPUT = (f"a{i}" for i in range(3, 11))
_KIND, _X = "a11", "a12"


# Clip one side of a window to the image. at: the position of the pixel, which becomes the position
# of the first cell. The number of cells is stored in a slot. a2 is the record.
def _clip(t, side, at, slot):
    x, end = "a8", "a9"
    t.l32i(x, "a2", word_of(LAYOUT, "stride_" + side))
    t.mull(at, at, x)
    t.l32i(x, "a2", word_of(LAYOUT, "padding_" + side))
    t.sub(at, at, x)
    t.l32i(x, "a2", word_of(LAYOUT, "filter_" + side))
    t.add(end, at, x)
    t.l32i(x, "a2", word_of(LAYOUT, "input_" + side))
    t.min(end, end, x)
    t.movi(x, 0)
    t.max(at, at, x)
    t.sub(end, end, at)
    t.store(end, slot)


# Steps:
# 1. Find the addresses of the operands.
# 2. For each pixel: clip the window; for a mean, find the factor that divides by its cells.
# 3. Reduce the cells of four channels, or of one channel; limit and store the results.
def pool():
    t = Fpu("pool", _ABOUT, ARGUMENTS, _SLOTS)
    word = {name: word_of(LAYOUT, name) for name in LAYOUT}
    t.store("a2", "record")
    t.store("a5", "start")
    t.store("a6", "stop")
    for name in ("input", "output", "divisor"):
        operand(t, LAYOUT, name, ("a2", "a3", "a4", "a7", "a8"))
    t.l32i("a7", "a2", word["channels"])
    t.mull("a7", "a7", "a5")
    t.load("a8", "output")
    t.addx4("a8", "a7", "a8")
    t.store("a8", "output")
    t.lsi(_INITIAL, "a2", word["initial"])
    load_limits(t, LAYOUT, "a2")

    pixel, end = t.new_label("pixel"), t.new_label("end")
    t.label(pixel)
    t.load("a2", "record")
    t.load("a3", "start")
    t.load("a4", "stop")
    t.far("bge", "a3", "a4", end)
    t.l32i("a5", "a2", word["output_width"])
    t.quou("a6", "a3", "a5")
    t.mull("a5", "a6", "a5")
    t.sub("a4", "a3", "a5")
    t.l32i("a5", "a2", word["output_height"])
    t.quou("a7", "a6", "a5")
    t.mull("a5", "a7", "a5")
    t.sub("a6", "a6", "a5")
    _clip(t, "height", "a6", "rows")
    _clip(t, "width", "a4", "cells")
    # source = input + 4 * ((batch * height + row) * width + column) * channels
    t.l32i("a5", "a2", word["input_height"])
    t.mull("a7", "a7", "a5")
    t.add("a7", "a7", "a6")
    t.l32i("a5", "a2", word["input_width"])
    t.mull("a7", "a7", "a5")
    t.add("a7", "a7", "a4")
    t.l32i(_LEFT, "a2", word["channels"])
    t.mull("a7", "a7", _LEFT)
    t.load("a4", "input")
    t.addx4(_SOURCE, "a7", "a4")
    t.slli(_STEP, _LEFT, 2)
    t.load("a4", "cells")
    t.sub("a5", "a5", "a4")
    t.mull(_GAP, "a5", _STEP)
    t.l32i(_KIND, "a2", word["kind"])
    t.addi(_KIND, _KIND, -_MAXIMUM)
    _factor(t)
    t.load("a12", "start")
    t.addi("a12", "a12", 1)
    t.store("a12", "start")
    t.load(_OUTPUT, "output")
    channels, single, next_pixel = map(t.new_label, ("channels", "single", "next_pixel"))
    t.label(channels)
    t.movi(_X, 4)
    t.far("blt", _LEFT, _X, single)
    _reduce(t, 4)
    t.addi(_LEFT, _LEFT, -4)
    t.j(channels)
    t.label(single)
    t.far_zero("beqz", _LEFT, next_pixel)
    _reduce(t, 1)
    t.addi(_LEFT, _LEFT, -1)
    t.j(single)
    t.label(next_pixel)
    t.store(_OUTPUT, "output")
    t.load("a2", "is_sum")
    t.far_zero("beqz", "a2", pixel)
    t.load("a2", "start")
    t.addi("a2", "a2", -1)
    t.store("a2", "start")
    t.label(end)
    return t.text("start")


# The reciprocal of the number of cells, or 1.0 and no limits for a number that is no power of two.
# a4 is the number of cells in a row.
def _factor(t):
    done, power, again, found = map(t.new_label, ("factor_known", "power", "again", "found"))
    t.movi("a13", 0)
    t.store("a13", "is_sum")
    t.beqz(_KIND, done)
    t.load("a5", "rows")
    t.mull("a5", "a5", "a4")
    t.addi("a13", "a5", -1)
    t.and_("a13", "a13", "a5")
    t.beqz("a13", power)
    t.float_s(_FACTOR, "a5")
    t.load("a13", "divisor")
    t.ssi(_FACTOR, "a13")
    t.movi("a13", -1)
    t.slli("a13", "a13", 23)
    t.wfr(LOW, "a13")
    t.slli("a13", "a13", 1)
    t.srli("a13", "a13", 1)
    t.wfr(HIGH, "a13")
    t.movi("a5", 1)
    t.store("a5", "is_sum")
    t.label(power)
    t.movi("a13", 127)
    t.label(again)
    t.srli("a5", "a5", 1)
    t.beqz("a5", found)
    t.addi("a13", "a13", -1)
    t.j(again)
    t.label(found)
    t.slli("a13", "a13", 23)
    t.wfr(_FACTOR, "a13")
    t.label(done)


# Update the values by one cell.
def _cell(t, name, values, cells):
    for i, cell in enumerate(cells):
        t.lsi(cell, _CELL, 4 * i)
    t.add(_CELL, _CELL, _STEP)
    if name == "maximum":
        for i, (value, cell) in enumerate(zip(values, cells, strict=True)):
            t.olt_s(f"b{i}", value, cell)
        for i, (value, cell) in enumerate(zip(values, cells, strict=True)):
            t.movt_s(value, cell, f"b{i}")
        return
    if name == "squares":
        for cell in cells:
            t.mul_s(cell, cell, cell)
    for value, cell in zip(values, cells, strict=True):
        t.add_s(value, value, cell)


# Results of `count` channels.
def _reduce(t, count):
    values, cells = _VALUES[:count], _CELLS[:count]
    maximum, squares, mean, ready, limit = map(
        t.new_label, ("maximum", "squares", "mean", "ready", "limit")
    )
    t.rfr(_X, _INITIAL)
    for value in values:
        t.wfr(value, _X)
    t.mov(_CELL, _SOURCE)
    t.load(_ROWS, "rows")
    t.beqz(_KIND, maximum)
    t.addi(_X, _KIND, _MAXIMUM - _SQUARES)
    t.beqz(_X, squares)
    for name, label in (("mean", mean), ("squares", squares), ("maximum", maximum)):
        end = t.new_label("cells_end")
        t.label(label)
        t.load(_COLUMNS, "cells")
        t.loopnez(_COLUMNS, end)
        _cell(t, name, values, cells)
        t.label(end)
        t.add(_CELL, _CELL, _GAP)
        t.addi(_ROWS, _ROWS, -1)
        t.bnez(_ROWS, label)
        if name != "maximum":
            t.j(ready)
    t.j(limit)
    t.label(ready)
    for value in values:
        t.mul_s(value, value, _FACTOR)
    t.label(limit)
    for i, value in enumerate(values):
        limited(t, value)
        t.ssi(value, _OUTPUT, 4 * i)
    t.addi(_OUTPUT, _OUTPUT, 4 * count)
    t.addi(_SOURCE, _SOURCE, 4 * count)
