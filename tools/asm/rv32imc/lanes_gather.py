# Generator of the assembler kernels that gather inputs as lanes, for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import GATHER, at
from .rv32 import Rv32

_TO, _LINE, _AT, _LAST, _COLUMNS = "a3", "a4", "a5", "a6", "a7"
_ABOVE, _ROWS, _BELOW, _RUN, _ROW_STEP, _COLUMN_STEP, _FILL = (f"s{i}" for i in range(7))
_HALF, _FLIP, _MASK = "s7", "s8", "s9"

_PARAMETERS = (
    (_TO, "lanes"),
    (_LINE, "source"),
    (_AT, "at"),
    (_COLUMNS, "columns"),
    (_ABOVE, "rows_above"),
    (_ROWS, "rows"),
    (_BELOW, "rows_below"),
    (_RUN, "run"),
    (_ROW_STEP, "row_step"),
    (_COLUMN_STEP, "column_step"),
    (_FILL, "fill"),
)


# Copy parameters and constants to registers. Leaves the address of the block in A1.
def _begin(t, parameters):
    t.add("a1", "a1", "a0")
    for register, name in parameters:
        t.lw(register, "a1", at(GATHER, name))
    t.add(_TO, _TO, "a0")
    t.add(_LINE, _LINE, "a2")
    t.li(_HALF, 0x00800080)
    t.slli(_FLIP, _HALF, 8)
    t.or_(_FLIP, _FLIP, _HALF)
    t.li(_MASK, 0x00FF00FF)


# Unpack the whole words from T0 to T1 to lanes (see prepare/lanes.py). Uses T2, T3.
def _unpack(t):
    loop = t.new_label("quads")
    t.label(loop)
    t.lw("t2", "t0")
    t.addi("t0", "t0", 4)
    t.xor("t2", "t2", _FLIP)
    t.srli("t3", "t2", 8)
    t.and_("t2", "t2", _MASK)
    t.and_("t3", "t3", _MASK)
    t.sub("t2", "t2", _HALF)
    t.sub("t3", "t3", _HALF)
    t.sw("t2", _TO)
    t.sw("t3", _TO, 4)
    t.addi(_TO, _TO, 8)
    t.branch("bne", "t0", "t1", loop)


# End the loop over columns.
def _next_column(t, column):
    t.add(_LINE, _LINE, _COLUMN_STEP)
    t.add(_AT, _AT, _COLUMN_STEP)
    t.addi(_COLUMNS, _COLUMNS, -1)
    t.branch("bne", _COLUMNS, "zero", column)


_GATHER = """
Unpack columns of int8 to lanes. `a0` is the arena, `a1` the offset of a block of parameters in
it (GATHER in tools/asm/common/parameters.py), `a2` the memory of the image. Addresses among the
parameters are offsets in these two. A column is a run of whole, aligned words in each row of the
filter, either inside the image or outside of it.
"""


# Fill `rows` (a register) rows of a column with zero points. Uses T1.
def _fill_rows(t, rows):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.mul("t1", rows, _RUN)
    t.slli("t1", "t1", 1)
    t.add("t1", "t1", _TO)
    t.branch("beq", "t1", _TO, done)
    t.label(loop)
    t.sw(_FILL, _TO)
    t.sw(_FILL, _TO, 4)
    t.addi(_TO, _TO, 8)
    t.branch("bne", "t1", _TO, loop)
    t.label(done)


# t4: a row; t5: rows of zero points above the image; t6: rows of the image left.
def gather():
    t = Rv32("gather", _GATHER, 3)
    _begin(t, (*_PARAMETERS, (_LAST, "last")))
    column, inside, row, below = map(t.new_label, ("column", "inside", "row", "below"))
    t.label(column)
    t.mv("t5", _ABOVE)
    t.mv("t6", _ROWS)
    t.branch("bgeu", _LAST, _AT, inside)  # unsigned: columns left of the image are large
    t.add("t5", "t5", "t6")
    t.li("t6", 0)
    t.label(inside)
    _fill_rows(t, "t5")
    t.branch("beq", "t6", "zero", below)
    t.mv("t4", _LINE)
    t.label(row)
    t.mv("t0", "t4")
    t.add("t1", "t4", _RUN)
    _unpack(t)
    t.add("t4", "t4", _ROW_STEP)
    t.addi("t6", "t6", -1)
    t.branch("bne", "t6", "zero", row)
    t.label(below)
    _fill_rows(t, _BELOW)
    _next_column(t, column)
    return t.text()


_GATHER_BYTES = """
Unpack columns of int8 of any width and alignment to lanes. The bytes of all rows of a column are
first copied to spare memory without gaps. The arguments are the same as for gather().
"""
_SPARE, _ROW_BYTES, _COLUMN_BYTES = "s10", "s11", "a6"


# Store T0 zero points as bytes at T2, which advances. Uses T0.
def _fill_bytes(t):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.branch("beq", "t0", "zero", done)
    t.label(loop)
    t.sb(_FILL, "t2")
    t.addi("t2", "t2", 1)
    t.addi("t0", "t0", -1)
    t.branch("bne", "t0", "zero", loop)
    t.label(done)


# Limit `register` to 0.._RUN.
def _limit(t, register):
    positive, small = t.new_label("positive"), t.new_label("small")
    t.branch("bge", register, "zero", positive)
    t.li(register, 0)
    t.label(positive)
    t.branch("bge", _RUN, register, small)
    t.mv(register, _RUN)
    t.label(small)


# t0: zero points to store; t1: end of a run; t2: spare memory; t3: a byte; t4: bytes of a run at
# the left of the image; t5: bytes at its right; t6: rows left; a0: a row; a2: bytes inside.
def gather_bytes():
    t = Rv32("gather_bytes", _GATHER_BYTES, 3)
    names = ("spare", "row_bytes", "column_bytes")
    own = zip((_SPARE, _ROW_BYTES, _COLUMN_BYTES), names, strict=True)
    _begin(t, (*_PARAMETERS, *own))
    t.add(_SPARE, _SPARE, "a0")
    column, row, byte, copied, below = map(
        t.new_label, ("column", "row", "byte", "copied", "below")
    )
    t.label(column)
    t.sub("t4", "zero", _AT)
    _limit(t, "t4")
    t.add("t5", _AT, _RUN)
    t.sub("t5", "t5", _ROW_BYTES)
    _limit(t, "t5")
    t.sub("a2", _RUN, "t4")
    t.sub("a2", "a2", "t5")
    t.mv("t2", _SPARE)
    t.mul("t0", _ABOVE, _RUN)
    t.mv("t6", _ROWS)
    t.branch("beq", "t6", "zero", below)
    t.add("a0", _LINE, "t4")
    t.label(row)
    t.add("t0", "t0", "t4")
    _fill_bytes(t)
    t.mv("t0", "a0")
    t.add("t1", "a0", "a2")
    t.branch("beq", "t0", "t1", copied)
    t.label(byte)
    t.lbu("t3", "t0")
    t.addi("t0", "t0", 1)
    t.sb("t3", "t2")
    t.addi("t2", "t2", 1)
    t.branch("bne", "t0", "t1", byte)
    t.label(copied)
    t.mv("t0", "t5")
    t.add("a0", "a0", _ROW_STEP)
    t.addi("t6", "t6", -1)
    t.branch("bne", "t6", "zero", row)
    t.label(below)
    t.mul("t1", _BELOW, _RUN)
    t.add("t0", "t0", "t1")
    _fill_bytes(t)
    t.mv("t0", _SPARE)
    t.add("t1", _SPARE, _COLUMN_BYTES)
    _unpack(t)
    _next_column(t, column)
    return t.text()
