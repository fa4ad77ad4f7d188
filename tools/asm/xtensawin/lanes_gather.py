# Generator of the assembler kernels that gather inputs as lanes, for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import GATHER, at
from .function import Function

# a3 is the address of the parameters; _LINE is the first row of a column, _AT its byte in the row.
_TO, _LINE, _AT, _COLUMNS = "a2", "a4", "a5", "a6"
_HALF, _FLIP, _MASK = "a7", "a8", "a9"
_X, _STOP, _V, _U, _ROWS, _ROW = (f"a{i}" for i in range(10, 16))


def _load(t, to, name):
    t.l32i(to, "a3", at(GATHER, name))


# Copy parameters and constants to registers, and the addresses of `slots` to slots.
def _begin(t, *slots):
    t.add("a3", "a3", "a2")
    for name in slots:
        _load(t, _X, name)
        t.add(_X, _X, "a2")
        t.store(_X, name)
    _load(t, _X, "lanes")
    _load(t, _V, "source")
    t.add(_TO, "a2", _X)
    t.add(_LINE, "a4", _V)
    _load(t, _AT, "at")
    _load(t, _COLUMNS, "columns")
    t.lanes(_HALF, 0x80, _X)
    t.slli(_FLIP, _HALF, 8)
    t.or_(_FLIP, _FLIP, _HALF)
    t.lanes(_MASK, 0xFF, _X)


# Unpack the whole words from _X to _STOP to lanes (see prepare/lanes.py). As halfwords they have
# 128 added; prepare/mac16.py has subtracted that from the bias.
def _unpack(t, halfwords):
    loop = t.new_label("quads")
    t.label(loop)
    t.l32i(_V, _X)
    t.addi(_X, _X, 4)
    t.xor(_V, _V, _FLIP)
    t.srli(_U, _V, 8)
    t.and_(_V, _V, _MASK)
    t.and_(_U, _U, _MASK)
    if not halfwords:
        t.sub(_V, _V, _HALF)
        t.sub(_U, _U, _HALF)
    t.s32i(_V, _TO)
    t.s32i(_U, _TO, 4)
    t.addi(_TO, _TO, 8)
    t.bne(_X, _STOP, loop)


# End the loop over columns.
def _next_column(t, column):
    end = t.new_label("end")
    _load(t, _V, "column_step")
    t.addi(_COLUMNS, _COLUMNS, -1)
    t.add(_LINE, _LINE, _V)
    t.add(_AT, _AT, _V)
    t.beqz(_COLUMNS, end)
    t.j(column)
    t.label(end)


_ELEMENTS = ("lanes", "halfwords")
_GATHER = """
Unpack columns of int8 to {}. The arguments are the arena, the offset of a block of
parameters in it (GATHER in tools/asm/common/parameters.py), and the memory of the image. Addresses
among the parameters are offsets in these two. A column is a run of whole, aligned words in each
row of the filter, either inside the image or outside of it.
"""


# Fill `rows` (a register) rows of a column with zero points. Uses _X, _STOP.
def _fill_rows(t, rows, halfwords):
    done, loop = t.new_label("filled"), t.new_label("fill")
    _load(t, _X, "run")
    t.mull(_X, _X, rows)
    t.slli(_X, _X, 1)
    t.add(_STOP, _X, _TO)
    _load(t, _X, "fill")
    if halfwords:
        t.add(_X, _X, _HALF)
    t.beq(_STOP, _TO, done)
    t.label(loop)
    t.s32i(_X, _TO)
    t.s32i(_X, _TO, 4)
    t.addi(_TO, _TO, 8)
    t.bne(_STOP, _TO, loop)
    t.label(done)


def gather(halfwords=False):
    t = Function("gather", _GATHER.format(_ELEMENTS[halfwords]), 3)
    _begin(t)
    column, inside, row, below = map(t.new_label, ("column", "inside", "row", "below"))
    t.label(column)
    _load(t, _ROW, "rows_above")
    _load(t, _ROWS, "rows")
    _load(t, _V, "last")
    t.bgeu(_V, _AT, inside)  # unsigned: columns left of the image are large
    t.add(_ROW, _ROW, _ROWS)
    t.movi(_ROWS, 0)
    t.label(inside)
    _fill_rows(t, _ROW, halfwords)
    t.beqz(_ROWS, below)
    t.mov(_ROW, _LINE)
    t.label(row)
    _load(t, _V, "run")
    t.mov(_X, _ROW)
    t.add(_STOP, _ROW, _V)
    _unpack(t, halfwords)
    _load(t, _V, "row_step")
    t.addi(_ROWS, _ROWS, -1)
    t.add(_ROW, _ROW, _V)
    t.bnez(_ROWS, row)
    t.label(below)
    _load(t, _ROW, "rows_below")
    _fill_rows(t, _ROW, halfwords)
    _next_column(t, column)
    return t.text()


_GATHER_BYTES = """
Unpack columns of int8 of any width and alignment to {}. The bytes of all rows of a column
are first copied to spare memory without gaps. The arguments are the same as for gather().
"""


# Store _V zero points as bytes at `to`, which advances. Uses _V, _U.
def _fill_bytes(t, to):
    done, loop = t.new_label("filled"), t.new_label("fill")
    _load(t, _U, "fill")
    t.beqz(_V, done)
    t.label(loop)
    t.s8i(_U, to, 0)
    t.addi(to, to, 1)
    t.addi(_V, _V, -1)
    t.bnez(_V, loop)
    t.label(done)


# Limit `register` to 0..`run` (a register). Uses `zero`, a register.
def _limit(t, register, run, zero):
    t.movi(zero, 0)
    t.max(register, register, zero)
    t.min(register, register, run)


# _X: a byte of the image; _STOP: spare memory; _V: zero points to store. Slots: bytes of a run at
# the left of the image, in the image and at its right; the begin of the spare memory.
def gather_bytes(halfwords=False):
    t = Function(
        "gather_bytes",
        _GATHER_BYTES.format(_ELEMENTS[halfwords]),
        3,
        ("left", "inside", "right", "spare"),
    )
    _begin(t, "spare")
    column, row, byte, copied, below = map(
        t.new_label, ("column", "row", "byte", "copied", "below")
    )
    t.label(column)
    _load(t, _ROW, "run")
    t.neg(_V, _AT)
    _limit(t, _V, _ROW, _X)
    t.store(_V, "left")
    _load(t, _U, "row_bytes")
    t.add(_X, _AT, _ROW)
    t.sub(_U, _X, _U)
    _limit(t, _U, _ROW, _X)
    t.store(_U, "right")
    t.sub(_X, _ROW, _V)
    t.sub(_X, _X, _U)
    t.store(_X, "inside")
    t.load(_STOP, "spare")
    _load(t, _X, "rows_above")
    t.mull(_V, _X, _ROW)
    _load(t, _ROWS, "rows")
    t.beqz(_ROWS, below)
    t.load(_X, "left")
    t.add(_ROW, _LINE, _X)
    t.label(row)
    t.load(_X, "left")
    t.add(_V, _V, _X)
    _fill_bytes(t, _STOP)
    t.load(_V, "inside")
    t.mov(_X, _ROW)
    t.beqz(_V, copied)
    t.label(byte)
    t.l8ui(_U, _X)
    t.addi(_X, _X, 1)
    t.s8i(_U, _STOP)
    t.addi(_STOP, _STOP, 1)
    t.addi(_V, _V, -1)
    t.bnez(_V, byte)
    t.label(copied)
    t.load(_V, "right")
    _load(t, _X, "row_step")
    t.addi(_ROWS, _ROWS, -1)
    t.add(_ROW, _ROW, _X)
    t.bnez(_ROWS, row)
    t.label(below)
    _load(t, _X, "rows_below")
    _load(t, _U, "run")
    t.mull(_X, _X, _U)
    t.add(_V, _V, _X)
    _fill_bytes(t, _STOP)
    t.load(_X, "spare")
    _load(t, _V, "column_bytes")
    t.add(_STOP, _X, _V)
    _unpack(t, halfwords)
    _next_column(t, column)
    return t.text()
