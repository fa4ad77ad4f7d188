# Generator of the assembler kernel of DEPTHWISE_CONV_2D for Xtensa: the plane of a channel
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import DEPTHWISE, at
from .function import Function

_ABOUT = """
The plane of one channel: word (j, x) has rows 2 * j and 2 * j + 1 of column x as halfwords,
and zero points outside of the image. The arguments are the arena, the offset of a block of
parameters in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory of the image.
"""

# a3 is the address of the parameters.
_TO, _LINE, _ROW, _PAIRS, _HALF = "a2", "a4", "a5", "a6", "a7"
_X, _STEP, _STOP, _V, _U = ("a8", "a9"), ("a10", "a11"), "a12", "a13", "a14"


def _load(t, to, name):
    t.l32i(to, "a3", at(DEPTHWISE, name))


# Store the words of zero points that the parameter `count` counts. Uses _V, _STOP.
def _fill(t, count):
    loop, done = t.new_label("fill"), t.new_label("filled")
    _load(t, _V, count)
    t.addx4(_STOP, _V, _TO)
    _load(t, _V, "fill")
    t.add(_V, _V, _HALF)
    t.beq(_STOP, _TO, done)
    t.label(loop)
    t.s32i(_V, _TO)
    t.addi(_TO, _TO, 4)
    t.bne(_TO, _STOP, loop)
    t.label(done)


# Load the address and the step of a row. A missing row reads the zero point's byte repeatedly.
# Uses _V.
def _row(t, address, step):
    exists = t.new_label("exists")
    _load(t, step, "line_step")
    _load(t, _V, "height")
    t.bltu(_ROW, _V, exists)  # unsigned: rows above the image are large
    t.addi(address, "a3", at(DEPTHWISE, "fill"))
    t.movi(step, 0)
    t.label(exists)
    t.addi(_ROW, _ROW, 1)


# Halfwords have 128 added; prepare/mac16.py has subtracted that from the bias.
def build_plane():
    t = Function("build_plane", _ABOUT, 3)
    t.add("a3", "a3", "a2")
    _load(t, _V, "plane")
    t.add(_TO, "a2", _V)
    _load(t, _V, "line")
    t.add(_LINE, "a4", _V)
    _load(t, _V, "line_step")
    t.add(_LINE, _LINE, _V)
    _load(t, _ROW, "first_row")
    _load(t, _PAIRS, "pair_rows")
    t.lanes(_HALF, 0x80, _V)
    pair, column, end = t.new_label("pair"), t.new_label("column"), t.new_label("end")
    t.label(pair)
    _fill(t, "left")
    _load(t, _V, "row_bytes")
    t.mov(_X[0], _LINE)
    t.add(_X[1], _LINE, _V)
    t.add(_LINE, _X[1], _V)
    _row(t, _X[0], _STEP[0])
    _row(t, _X[1], _STEP[1])
    _load(t, _V, "columns")
    t.addx4(_STOP, _V, _TO)
    t.label(column)
    t.l8ui(_V, _X[0])
    t.l8ui(_U, _X[1])
    t.add(_X[0], _X[0], _STEP[0])
    t.add(_X[1], _X[1], _STEP[1])
    t.slli(_U, _U, 16)
    t.add(_V, _V, _U)
    t.xor(_V, _V, _HALF)
    t.s32i(_V, _TO)
    t.addi(_TO, _TO, 4)
    t.bne(_TO, _STOP, column)
    _fill(t, "right")
    t.addi(_PAIRS, _PAIRS, -1)
    t.beqz(_PAIRS, end)
    t.j(pair)
    t.label(end)
    return t.text()
