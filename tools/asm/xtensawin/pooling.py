# Generator of the assembler kernels of AVERAGE_POOL_2D and MAX_POOL_2D for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.pooling import POOLING

from ..common.parameters import at
from .function import Function

_RECORD = ("units", *POOLING)

_ABOUT = """
{} of windows of int8, {}: one row of the output. `op` is the
record (POOLING in prepare/pooling.py), `unit` the number of the row.
"""
_AT_ONCE = {4: "four channels of a word at once", 1: "channel by channel"}
_SLOTS = ("line", "columns", "left", "lines", "run", "skip", "cells", "end")

# Registers of the whole function; _FLIP is 0x80 in each byte.
_OP, _CHANNELS, _OUTPUT, _FIRST, _FLIP = "a2", "a10", "a11", "a14", "a15"
# Registers of a group of channels: the next cell, its value, lines left, cells of the line left,
# and a sum or maximum for each channel.
_CELL, _X, _U, _LINES, _CELLS = "a3", "a4", "a5", "a12", "a13"
_VALUES = ("a6", "a7", "a8", "a9")
# Arguments: registers until the first window begins.
_ARENA, _ROM, _UNIT = "a3", "a4", "a5"


def _word(t, to, name):
    t.l32i(to, _OP, at(_RECORD, name))


# Compute where the row's output begins, and the first line of the input that its windows cover.
def _begin_row(t):
    line, rows, batch, x = _VALUES
    inside = t.new_label("in_arena")
    _word(t, _OUTPUT, "output")
    _word(t, _CHANNELS, "channels")
    _word(t, x, "output_width")
    t.store(x, "columns")
    t.srli(_OUTPUT, _OUTPUT, 2)
    t.mull(x, x, _CHANNELS)
    t.add(_OUTPUT, _OUTPUT, _ARENA)
    t.mull(x, x, _UNIT)
    t.add(_OUTPUT, _OUTPUT, x)
    _word(t, line, "input")
    t.extui(x, line, 0, 1)
    t.srli(line, line, 2)
    t.beqz(x, inside)
    t.mov(_ARENA, _ROM)
    t.label(inside)
    t.add(line, line, _ARENA)
    # The row's number in its image, and the lines of the windows that are within the image.
    _word(t, rows, "output_height")
    t.quou(batch, _UNIT, rows)
    t.mull(rows, batch, rows)
    t.sub(_UNIT, _UNIT, rows)
    top, bottom, height = _UNIT, rows, _ROM
    _word(t, x, "stride_height")
    t.mull(top, top, x)
    _word(t, x, "padding_height")
    t.sub(top, top, x)
    _word(t, x, "filter_height")
    t.add(bottom, top, x)
    _word(t, height, "input_height")
    t.min(bottom, bottom, height)
    t.movi(x, 0)
    t.max(top, top, x)
    t.sub(bottom, bottom, top)
    t.store(bottom, "lines")
    t.mull(batch, batch, height)
    t.add(batch, batch, top)
    _word(t, x, "input_width")
    t.mull(batch, batch, x)
    t.mull(batch, batch, _CHANNELS)
    t.add(line, line, batch)
    t.store(line, "line")
    _word(t, x, "padding_width")
    t.neg(x, x)
    t.store(x, "left")


# Compute the cells of a column's window that are within the image.
def _begin_column(t):
    first, right, width, x = _VALUES
    t.load(first, "left")
    _word(t, x, "filter_width")
    _word(t, width, "input_width")
    t.add(right, first, x)
    t.min(right, right, width)
    t.movi(x, 0)
    t.max(first, first, x)
    t.sub(right, right, first)  # cells of a line
    t.store(right, "run")
    t.load(x, "lines")
    t.mull(x, x, right)
    t.store(x, "cells")
    t.sub(width, width, right)
    t.mull(width, width, _CHANNELS)
    t.store(width, "skip")
    t.mull(first, first, _CHANNELS)
    t.load(_FIRST, "line")
    t.add(_FIRST, _FIRST, first)
    t.add(x, _FIRST, _CHANNELS)
    t.store(x, "end")


# Advance to the next column, with the windows that are left.
def _next_column(t, column):
    end = t.new_label("end")
    left, columns, x = _VALUES[:3]
    t.load(columns, "columns")
    t.load(left, "left")
    _word(t, x, "stride_width")
    t.addi(columns, columns, -1)
    t.add(left, left, x)
    t.store(columns, "columns")
    t.store(left, "left")
    t.beqz(columns, end)
    t.j(column)
    t.label(end)


def _clamp_and_store(t, value, channel):
    _word(t, _U, "activation_min")
    t.max(value, value, _U)
    _word(t, _U, "activation_max")
    t.min(value, value, _U)
    t.s8i(value, _OUTPUT, channel)


# Compute one row: begin(t, value) for each channel of a group, cell(t, values) for each cell,
# whose channels are in _X, and finish(t, values) before the values are clamped.
def _pool(name, about, width, begin, cell, finish):
    t = Function(name, about.format(_AT_ONCE[width]), ("op", "arena", "rom", "unit"), _SLOTS)
    values = _VALUES[:width]
    column, group, line, next_cell = map(t.new_label, ("column", "group", "line", "cell"))
    _begin_row(t)
    t.movi(_FLIP, 0x80)
    if width == 4:
        t.lanes(_FLIP, 0x80, _X)
        t.slli(_X, _FLIP, 8)
        t.or_(_FLIP, _FLIP, _X)
    t.label(column)
    _begin_column(t)
    t.label(group)
    t.mov(_CELL, _FIRST)
    t.load(_LINES, "lines")
    for value in values:
        begin(t, value)
    t.label(line)
    t.load(_CELLS, "run")
    t.label(next_cell)
    (t.l32i if width == 4 else t.l8ui)(_X, _CELL)
    t.add(_CELL, _CELL, _CHANNELS)
    t.addi(_CELLS, _CELLS, -1)
    cell(t, values)
    t.bnez(_CELLS, next_cell)
    t.load(_X, "skip")
    t.addi(_LINES, _LINES, -1)
    t.add(_CELL, _CELL, _X)
    t.bnez(_LINES, line)
    finish(t, values)
    t.addi(_OUTPUT, _OUTPUT, width)
    t.addi(_FIRST, _FIRST, width)
    t.load(_X, "end")
    t.far("bne", _FIRST, _X, group)
    _next_column(t, column)
    return t.text()


# Add the bytes of a cell, which have 128 added.
def _add(t, values):
    t.xor(_X, _X, _FLIP)
    for i, value in enumerate(values[:-1]):
        t.extui(_U, _X, 8 * i, 8)
        t.add(value, value, _U)
    t.extui(_X, _X, 8 * (len(values) - 1), 8)
    t.add(values[-1], values[-1], _X)


# Divide (|sum| + cells / 2) / cells with the sum's sign.
def _divide(t, values):
    cells, half, excess = _LINES, _CELLS, _CELL
    t.load(cells, "cells")
    t.srli(half, cells, 1)
    t.slli(excess, cells, 7)
    for channel, value in enumerate(values):
        positive = t.new_label("positive")
        t.sub(value, value, excess)
        t.abs(_X, value)
        t.add(_X, _X, half)
        t.quou(_X, _X, cells)
        t.bgez(value, positive)
        t.neg(_X, _X)
        t.label(positive)
        _clamp_and_store(t, _X, channel)


def _average(width):
    about = _ABOUT.replace("{}", "Averages", 1)
    return _pool(f"average_{width}", about, width, lambda t, v: t.movi(v, 0), _add, _divide)


# Maxima are kept in the highest byte; the lower bytes do not affect a comparison.
def _least(t, value):
    t.movi(value, -128)
    t.slli(value, value, 24)


def _larger(t, values):
    for i, value in enumerate(values):
        if i < 3:
            t.slli(_U, _X, 24 - 8 * i)
        t.max(value, value, _U if i < 3 else _X)


def _highest_byte(t, values):
    for channel, value in enumerate(values):
        t.srai(value, value, 24)
        _clamp_and_store(t, value, channel)


def _maximum(width):
    about = _ABOUT.replace("{}", "Maxima", 1)
    return _pool(f"maximum_{width}", about, width, _least, _larger, _highest_byte)


def averages():
    """Averages of four channels at once."""
    return _average(4)


def average():
    """The average of one channel."""
    return _average(1)


def maxima():
    """Maxima of four channels at once."""
    return _maximum(4)


def maximum():
    """The maximum of one channel."""
    return _maximum(1)
