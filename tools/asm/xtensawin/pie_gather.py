# Generator of the kernels that copy inputs to vectors for the vector unit of the ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from ..kernels.parameters import GATHER, at
from .pie import VECTOR, Pie

# a3 is the address of the parameters; _LINE is the first row of a column, _AT its byte in the row.
_COLUMN, _LINE, _AT, _COLUMNS, _RUN = "a2", "a4", "a5", "a6", "a7"
_TO, _X, _N, _V, _U, _ROWS, _ROW, _FILL = (f"a{i}" for i in range(8, 16))


def _load(t, to, name):
    t.l32i(to, "a3", at(GATHER, name))


def _begin(t):
    t.add("a3", "a3", "a2")
    _load(t, _X, "lanes")
    _load(t, _V, "source")
    t.add(_COLUMN, "a2", _X)
    t.add(_LINE, "a4", _V)
    _load(t, _AT, "at")
    _load(t, _COLUMNS, "columns")
    _load(t, _RUN, "run")
    _load(t, _FILL, "fill")


def _next_column(t, column):
    end = t.new_label("end")
    _load(t, _V, "column_step")
    _load(t, _U, "column_bytes")
    t.addi(_COLUMNS, _COLUMNS, -1)
    t.add(_LINE, _LINE, _V)
    t.add(_AT, _AT, _V)
    t.add(_COLUMN, _COLUMN, _U)
    t.beqz(_COLUMNS, end)
    t.j(column)
    t.label(end)


# Copy _N words or bytes from _X to _TO.
def _copy(t, is_words):
    end = t.new_label("copied")
    load, store, size = (t.l32i, t.s32i, 4) if is_words else (t.l8ui, t.s8i, 1)
    t.loopnez(_N, end)
    load(_V, _X, 0)
    t.addi(_X, _X, size)
    store(_V, _TO, 0)
    t.addi(_TO, _TO, size)
    t.label(end)


# Store _N words or bytes of zero points at _TO.
def _fill(t, is_words):
    end = t.new_label("filled")
    store, size = (t.s32i, 4) if is_words else (t.s8i, 1)
    t.loopnez(_N, end)
    store(_FILL, _TO, 0)
    t.addi(_TO, _TO, size)
    t.label(end)


# Fill `rows` (a register) rows of a column.
def _fill_rows(t, rows, is_words):
    t.mull(_N, rows, _RUN)
    if is_words:
        t.srli(_N, _N, 2)
    _fill(t, is_words)


_GATHER = """
Copy columns of int8 to vectors. The arguments are the arena, the offset of a block of parameters
in it (GATHER in tools/asm/kernels/parameters.py), and the memory of the image. Addresses among the
parameters are offsets in these two. A column is a run of whole, aligned words in each row of the
filter, either inside the image or outside of it.
"""


def gather():
    t = Pie("gather", _GATHER, 3, ("in_words",))
    _begin(t)
    column, inside, row, below, words, vectors, copied = map(
        t.new_label, ("column", "inside", "row", "below", "words", "vectors", "copied")
    )
    # Whole vectors are copied if every run begins at a multiple of 16.
    _load(t, _V, "row_step")
    t.or_(_V, _V, _LINE)
    t.or_(_V, _V, _RUN)
    _load(t, _U, "column_step")
    t.or_(_V, _V, _U)
    t.extui(_V, _V, 0, 4)
    t.store(_V, "in_words")
    t.label(column)
    t.mov(_TO, _COLUMN)
    _load(t, _ROW, "rows_above")
    _load(t, _ROWS, "rows")
    _load(t, _V, "last")
    t.bgeu(_V, _AT, inside)  # unsigned: columns left of the image are large
    t.add(_ROW, _ROW, _ROWS)
    t.movi(_ROWS, 0)
    t.label(inside)
    _fill_rows(t, _ROW, True)
    t.beqz(_ROWS, below)
    t.mov(_ROW, _LINE)
    t.label(row)
    t.mov(_X, _ROW)
    t.load(_V, "in_words")
    t.beqz(_V, vectors)
    t.label(words)
    t.srli(_N, _RUN, 2)
    _copy(t, True)
    t.j(copied)
    t.label(vectors)
    end = t.new_label("end")
    t.srli(_N, _RUN, 4)
    t.loopnez(_N, end)
    t.vld_ip("q0", _X, VECTOR)
    t.vst_ip("q0", _TO, VECTOR)
    t.label(end)
    t.label(copied)
    _load(t, _V, "row_step")
    t.addi(_ROWS, _ROWS, -1)
    t.add(_ROW, _ROW, _V)
    t.bnez(_ROWS, row)
    t.label(below)
    _load(t, _ROW, "rows_below")
    _fill_rows(t, _ROW, True)
    _next_column(t, column)
    return t.text()


_GATHER_BYTES = """
Copy columns of int8 of any width and alignment to vectors. The arguments are the same as for
gather().
"""


# Limit `register` to 0.._RUN. Uses `zero`, a register.
def _limit(t, register, zero):
    t.movi(zero, 0)
    t.max(register, register, zero)
    t.min(register, register, _RUN)


# Slots: bytes of a run at the left of the image, in the image and at its right.
def gather_bytes():
    t = Pie("gather_bytes", _GATHER_BYTES, 3, ("left", "inside", "right"))
    _begin(t)
    column, row, below = map(t.new_label, ("column", "row", "below"))
    t.label(column)
    t.mov(_TO, _COLUMN)
    t.neg(_V, _AT)
    _limit(t, _V, _X)
    t.store(_V, "left")
    _load(t, _U, "row_bytes")
    t.add(_X, _AT, _RUN)
    t.sub(_U, _X, _U)
    _limit(t, _U, _X)
    t.store(_U, "right")
    t.sub(_X, _RUN, _V)
    t.sub(_X, _X, _U)
    t.store(_X, "inside")
    t.add(_ROW, _LINE, _V)
    _load(t, _V, "rows_above")
    _fill_rows(t, _V, False)
    _load(t, _ROWS, "rows")
    t.beqz(_ROWS, below)
    t.label(row)
    t.load(_N, "left")
    _fill(t, False)
    t.load(_N, "inside")
    t.mov(_X, _ROW)
    _copy(t, False)
    t.load(_N, "right")
    _fill(t, False)
    _load(t, _X, "row_step")
    t.addi(_ROWS, _ROWS, -1)
    t.add(_ROW, _ROW, _X)
    t.bnez(_ROWS, row)
    t.label(below)
    _load(t, _V, "rows_below")
    _fill_rows(t, _V, False)
    _next_column(t, column)
    return t.text()
