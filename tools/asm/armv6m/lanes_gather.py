# Generator of the assembler kernels that gather inputs as lanes, for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import GATHER, at
from ..common.thumb import LR, R0, R1, R2, R3, R4, R5, R6, R7, R9, R10, R11, R12, Thumb
from .byte_lanes import constants, quads

# Registers that keep their values from one column to the next. _AT: byte of the image's row at
# which the column begins.
_COLUMN, _AT, _COLUMNS_LEFT = R9, R10, R11
_ROW, _ROWS_LEFT = R12, LR


# Fill `rows` (a slot) rows of a column with zero points. Uses R2..R4.
def _fill_rows(t, rows):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.load(R4, rows)
    t.cmp(R4, 0)
    t.branch("eq", done)
    t.load(R2, "run")
    t.mul(R4, R2)
    t.lsl(R4, R4, 1)
    t.add(R4, R1)
    t.load(R2, "fill")
    t.mov(R3, R2)
    t.label(loop)
    t.stm(R1, R2, R3)
    t.cmp(R1, R4)
    t.branch("cc", loop)
    t.label(done)


# Copy parameters to slots of the same names and to the registers that both functions share.
def _begin_gather(t, slots):
    for name in slots:
        t.ldr(R1, R0, at(GATHER, name))
        t.store(R1, name)
    for name, register in (("source", _COLUMN), ("at", _AT), ("columns", _COLUMNS_LEFT)):
        t.ldr(R1, R0, at(GATHER, name))
        t.mov(register, R1)
    t.ldr(R1, R0, at(GATHER, "lanes"))


# End the loop over columns.
def _next_column(t, column):
    t.load(R2, "column_step")
    t.add(_COLUMN, R2)
    t.add(_AT, R2)
    t.mov(R2, _COLUMNS_LEFT)
    t.sub(R2, 1)
    t.mov(_COLUMNS_LEFT, R2)
    t.branch_far("ne", column)


_GATHER = """
Unpack columns of int8 to lanes. `r0` is the address of a block of parameters (GATHER in
tools/asm/common/parameters.py). A column is a run of whole, aligned words in each row of the
filter, either inside the image or outside of it.
"""


# r0: run; r1: lanes; r2: end of the run; r3, r4: words; r5..r7: constants.
def gather():
    slots = ["rows_above", "rows", "rows_below", "run", "row_step", "column_step", "last", "fill"]
    t = Thumb("gather", _GATHER, slots=slots)
    _begin_gather(t, slots)
    constants(t)
    column, row, beside, below = map(t.new_label, ("column", "row", "beside", "below"))
    t.label(column)
    _fill_rows(t, "rows_above")
    t.mov(R3, _AT)
    t.load(R2, "last")
    t.cmp(R3, R2)  # unsigned: columns left of the image are large
    t.branch("hi", beside)
    t.load(R4, "rows")
    t.cmp(R4, 0)
    t.branch("eq", below)
    t.mov(_ROWS_LEFT, R4)
    t.mov(_ROW, _COLUMN)
    t.label(row)
    t.mov(R0, _ROW)
    t.load(R3, "run")
    quads(t, R3)
    t.load(R2, "row_step")
    t.add(_ROW, R2)
    t.mov(R2, _ROWS_LEFT)
    t.sub(R2, 1)
    t.mov(_ROWS_LEFT, R2)
    t.branch("ne", row)
    t.b(below)
    t.label(beside)
    _fill_rows(t, "rows")
    t.label(below)
    _fill_rows(t, "rows_below")
    _next_column(t, column)
    return t.text()


_GATHER_BYTES = """
Unpack columns of int8 of any width and alignment to lanes. The bytes of all rows of a column are
first copied to spare memory without gaps. `r0` is the address of a block of parameters (GATHER in
tools/asm/common/parameters.py).
"""


# Store `rows` (a slot) rows of zero points as bytes at R0, which advances. Uses R2, R3.
def _fill_bytes(t, rows):
    done, loop = t.new_label("filled"), t.new_label("fill")
    t.load(R3, rows)
    t.load(R2, "run")
    t.mul(R3, R2)
    t.branch("eq", done)
    t.load(R2, "fill")
    t.label(loop)
    t.strb(R2, R0)
    t.add(R0, 1)
    t.sub(R3, 1)
    t.branch("ne", loop)
    t.label(done)


# r0: spare memory; r1: lanes; r3: bytes left; r4: byte of the image's row; others as in gather().
def gather_bytes():
    slots = ["rows_above", "rows", "rows_below", "run", "row_step", "column_step", "last", "fill"]
    slots += ["row_bytes", "column_bytes", "spare"]
    t = Thumb("gather_bytes", _GATHER_BYTES, slots=[*slots, "lanes"])
    _begin_gather(t, slots)
    t.store(R1, "lanes")
    column, row, byte, partly, inside, outside, next_row, below = map(
        t.new_label,
        ("column", "row", "byte", "partly", "inside", "outside", "next_row", "below"),
    )
    t.label(column)
    t.load(R0, "spare")
    _fill_bytes(t, "rows_above")
    t.load(R4, "rows")
    t.cmp(R4, 0)
    t.branch("eq", below)
    t.mov(_ROWS_LEFT, R4)
    t.mov(_ROW, _COLUMN)
    t.label(row)
    t.mov(R6, _ROW)
    t.load(R3, "run")
    t.mov(R4, _AT)
    t.load(R2, "last")
    t.cmp(R2, 0)
    t.branch("lt", partly)
    t.cmp(R4, R2)  # unsigned: columns left of the image are large
    t.branch("hi", partly)
    t.add(R0, R3)
    t.mov(R7, R0)
    t.sub(R0, R3)
    t.sub(R6, R0)
    t.label(inside)
    t.ldrb_at(R5, R0, R6)
    t.strb(R5, R0)
    t.add(R0, 1)
    t.cmp(R0, R7)
    t.branch("ne", inside)
    t.label(next_row)
    t.load(R2, "row_step")
    t.add(_ROW, R2)
    t.mov(R2, _ROWS_LEFT)
    t.sub(R2, 1)
    t.mov(_ROWS_LEFT, R2)
    t.branch("ne", row)
    t.label(below)
    _fill_bytes(t, "rows_below")
    t.load(R0, "spare")
    t.load(R1, "lanes")
    t.load(R3, "column_bytes")
    constants(t)
    quads(t, R3)
    t.store(R1, "lanes")
    end = t.new_label("end")
    t.b(end)
    t.note("a run that crosses the edge of the image: byte by byte")
    t.label(partly)
    t.load(R7, "row_bytes")
    t.label(byte)
    t.load(R5, "fill")
    t.cmp(R4, R7)
    t.branch("cs", outside)
    t.ldrb(R5, R6)
    t.label(outside)
    t.strb(R5, R0)
    t.add(R0, 1)
    t.add(R6, 1)
    t.add(R4, 1)
    t.sub(R3, 1)
    t.branch("ne", byte)
    t.b(next_row)
    t.label(end)
    _next_column(t, column)
    return t.text()
