# Generator of the assembler kernel of DEPTHWISE_CONV_2D for RV32: the plane of a channel
# MIT license; Copyright (c) 2026 the tflm authors

from ..common import parameters
from .rv32 import Rv32

_ABOUT = """
The plane of one channel: word (j, x) has rows 2 * j and 2 * j + 1 of column x as lanes, and zero
points outside of the image. `a0` is the arena, `a1` the offset of a block of parameters in it
(DEPTHWISE in tools/asm/common/parameters.py), `a2` the memory of the image.
"""

_TO, _LINE, _ROW, _STEP, _ROW_BYTES = "a3", "a4", "a5", "a6", "a7"
_HEIGHT, _FILL, _LEFT, _COLUMNS, _RIGHT, _PAIRS = "s0", "s1", "s2", "s3", "s4", "s5"
_ZERO = "s6"  # address of a byte of the zero point


def at(name):
    """Return the offset of a parameter of DEPTHWISE_CONV_2D in bytes."""
    return parameters.at(parameters.DEPTHWISE, name)


# Store `count` words of zero points.
def _fill(t, count):
    loop, done = t.new_label("fill"), t.new_label("filled")
    t.slli("t4", count, 2)
    t.add("t4", "t4", _TO)
    t.branch("beq", "t4", _TO, done)
    t.label(loop)
    t.sw(_FILL, _TO)
    t.addi(_TO, _TO, 4)
    t.branch("bne", _TO, "t4", loop)
    t.label(done)


# Load the address and the step of a row. A missing row reads the zero point's byte repeatedly.
def _row(t, address, step):
    exists = t.new_label("exists")
    t.mv(step, _STEP)
    t.branch("bltu", _ROW, _HEIGHT, exists)  # unsigned: rows above the image are large
    t.mv(address, _ZERO)
    t.li(step, 0)
    t.label(exists)
    t.addi(_ROW, _ROW, 1)


def build_plane():
    t = Rv32("build_plane", _ABOUT, 3)
    t.add("a1", "a1", "a0")
    for register, name in (
        (_TO, "plane"),
        (_LINE, "line"),
        (_ROW, "first_row"),
        (_STEP, "line_step"),
        (_ROW_BYTES, "row_bytes"),
        (_HEIGHT, "height"),
        (_FILL, "fill"),
        (_LEFT, "left"),
        (_COLUMNS, "columns"),
        (_RIGHT, "right"),
        (_PAIRS, "pair_rows"),
    ):
        t.lw(register, "a1", at(name))
    t.add(_TO, _TO, "a0")
    t.add(_LINE, _LINE, "a2")
    t.add(_LINE, _LINE, _STEP)
    t.addi(_ZERO, "a1", at("fill"))
    pair, column = t.new_label("pair"), t.new_label("column")
    t.label(pair)
    _fill(t, _LEFT)
    t.mv("t0", _LINE)
    t.add("t1", _LINE, _ROW_BYTES)
    t.add(_LINE, "t1", _ROW_BYTES)
    _row(t, "t0", "t2")
    _row(t, "t1", "t3")
    t.slli("t4", _COLUMNS, 2)
    t.add("t4", "t4", _TO)
    t.label(column)
    t.lb("t5", "t0")
    t.lb("t6", "t1")
    t.add("t0", "t0", "t2")
    t.add("t1", "t1", "t3")
    t.slli("t6", "t6", 16)
    t.add("t5", "t5", "t6")
    t.sw("t5", _TO)
    t.addi(_TO, _TO, 4)
    t.branch("bne", _TO, "t4", column)
    _fill(t, _RIGHT)
    t.addi(_PAIRS, _PAIRS, -1)
    t.branch("bne", _PAIRS, "zero", pair)
    return t.text()
