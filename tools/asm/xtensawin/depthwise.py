# Generator of the assembler kernels of DEPTHWISE_CONV_2D for Xtensa: rows of outputs
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import DEPTHWISE, at
from .function import Function
from .requantize import divide, multiply_high

# a3 is the address of the parameters. The multiplier's halves and the right shift stay in
# registers; SAR has the shift of divide().
_X, _WEIGHTS, _OUTPUT, _SUMS = ("a2", "a5"), "a4", "a6", ("a7", "a8")
_WORD, _V, _U, _ROUND, _LOW, _HIGH, _SHIFT = (f"a{i}" for i in range(9, 16))


def _load(t, to, name):
    t.l32i(to, "a3", at(DEPTHWISE, name))


# For each of `totals`: add the rounded upper half of weight * word. Their weights are contiguous.
def _multiply(t, totals, offset):
    values = (_V, _U)[: len(totals)]
    for k, value in enumerate(values):
        t.l32i(value, _WEIGHTS, offset + 4 * k)
    for value in values:
        t.mull(value, value, _WORD)
    for value in values:
        t.add(value, value, _ROUND)
    for value in values:
        t.srai(value, value, 16)
    for total, value in zip(totals, values, strict=True):
        t.add(total, total, value)


# Make the output of a sum (see requantize.py).
def _requantize(t, v, output):
    shifted = t.new_label("shifted")
    multiply_high(t, v, _LOW, _HIGH, _V, _U, _WORD)
    t.beqz(_SHIFT, shifted)
    divide(t, v, _V)
    t.label(shifted)
    _load(t, _V, "output_zero_point")
    _load(t, _U, "activation_min")
    _load(t, _WORD, "activation_max")
    t.add(v, v, _V)
    t.max(v, v, _U)
    t.min(v, v, _WORD)
    t.s8i(v, output)


# Store addresses in slots; load the channel's stream into _WEIGHTS and its multiplier into
# registers. a2: arena; a3: offset; a4: memory of the stream. Uses SUMS.
def _begin(t):
    x, y = _SUMS
    t.add("a3", "a3", "a2")
    _load(t, x, "stream")
    t.add(_WEIGHTS, "a4", x)
    for name in ("plane", "output"):
        _load(t, x, name)
        t.add(x, x, "a2")
        t.store(x, name)
    _load(t, x, "rows")
    t.store(x, "rows")
    _load(t, x, "table")
    t.add(x, x, _WEIGHTS)
    t.l32i(_LOW, x, 0)
    t.l32i(_HIGH, x, 4)
    t.l32i(_SHIFT, x, 8)
    t.addi(y, _SHIFT, -1)
    t.ssr(y)
    t.movi(_ROUND, 1)
    t.slli(_ROUND, _ROUND, 15)


# Compute the first window of a row and the end of the row; x is in `columns[0]`. Uses _V.
def _begin_row(t, columns):
    _load(t, _V, "width")
    t.add(_V, _V, columns[0])
    t.store(_V, "row_end")
    t.load(_OUTPUT, "output")


# Branch to `pixel` until the row ends; `columns` are the pointers into the plane.
def _next_pixel(t, pixel, columns):
    _load(t, _V, "output_step")
    _load(t, _U, "column_step")
    t.add(_OUTPUT, _OUTPUT, _V)
    for x in columns:
        t.add(x, x, _U)
    t.load(_V, "row_end")
    t.far("bltu", columns[0], _V, pixel)


# Branch to `end` unless rows are left; the output of the next row is `count` rows ahead.
def _next_row(t, count, end):
    t.load(_V, "rows")
    _load(t, _U, "output_row")
    t.addi(_V, _V, -count)
    t.store(_V, "rows")
    t.movi(_WORD, 0)
    t.far("bge", _WORD, _V, end)
    if count == 2:
        t.slli(_U, _U, 1)
    t.load(_V, "output")
    t.add(_V, _V, _U)
    t.store(_V, "output")


_3X3 = """
The rows of a channel, 3x3 with stride 1, two rows at a time. The arguments are the arena, the
offset of a block of parameters in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory
of the stream.
"""
_3X3_STRIDE_2 = """
The rows of a channel, 3x3 with a vertical stride of 2. The arguments are the arena, the offset of
a block of parameters in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory of the
stream.
"""
_SLOTS = ["plane", "output", "rows", "row_end"]


# Multiply all six words of the plane under a window by the weights of the upper row and, with
# `both`, by the weights of the lower row.
def _three(name, about, both):
    t = Function(name, about, 4, _SLOTS)
    _begin(t)
    count = 2 if both else 1
    row, pixel, alone, end = map(t.new_label, ("row", "pixel", "alone", "end"))
    t.label(row)
    t.load(_X[0], "plane")
    _load(t, _V, "plane_row")
    t.add(_X[1], _X[0], _V)
    _begin_row(t, _X)
    t.label(pixel)
    for total in _SUMS[:count]:
        t.l32i(total, _WEIGHTS)
    for i in range(6):
        t.l32i(_WORD, _X[i // 3], 4 * (i % 3))
        _multiply(t, _SUMS[:count], 4 + 4 * count * i)
    _requantize(t, _SUMS[0], _OUTPUT)
    if both:
        t.load(_V, "rows")
        _load(t, _U, "output_row")
        t.addi(_V, _V, -1)
        t.add(_SUMS[0], _OUTPUT, _U)
        t.beqz(_V, alone)
        _requantize(t, _SUMS[1], _SUMS[0])
        t.label(alone)
    _next_pixel(t, pixel, _X)
    _next_row(t, count, end)
    t.load(_V, "plane")
    _load(t, _U, "plane_row")
    t.add(_V, _V, _U)
    t.store(_V, "plane")
    t.j(row)
    t.label(end)
    return t.text()


def rows_3x3():
    return _three("rows_3x3", _3X3, True)


def rows_3x3_stride_2():
    return _three("rows_3x3_stride_2", _3X3_STRIDE_2, False)


_ANY = """
The rows of a channel with a filter of any size. The arguments are the arena, the offset of a block
of parameters in it (DEPTHWISE in tools/asm/common/parameters.py), and the memory of the stream.
"""
_AT, _WINDOW = _X  # a word of the plane, a row of the window
_LINES, _LEFT = _SUMS[1], _V  # rows and words left


# A window begins in the upper or in the lower half of a row of the plane; the stream has weights
# for both cases. Slots: `row`, row of the windows in the image; `pixel`, where a window begins;
# `lines` and `set`, rows of words and weights of this row of windows; `first`, the channel's
# stream.
def rows_any():
    t = Function("rows_any", _ANY, 4, [*_SLOTS, "row", "pixel", "lines", "set", "first"])
    _begin(t)
    row, pixel, even = t.new_label("row"), t.new_label("pixel"), t.new_label("even")
    line, word, end = t.new_label("line"), t.new_label("word"), t.new_label("end")
    t.store(_WEIGHTS, "first")
    t.movi(_V, 0)
    t.store(_V, "row")
    t.label(row)
    t.load(_V, "row")
    _load(t, _U, "plane_row")
    t.srai(_WORD, _V, 1)
    t.mull(_WORD, _WORD, _U)
    t.load(_U, "plane")
    t.add(_AT, _WORD, _U)
    t.store(_AT, "pixel")
    t.extui(_V, _V, 0, 1)
    t.load(_U, "first")
    _load(t, _LINES, "even_rows")
    t.addi(_WORD, _U, 4)
    t.beqz(_V, even)
    _load(t, _LINES, "odd_rows")
    _load(t, _WORD, "odd_set")
    t.add(_WORD, _WORD, _U)
    t.label(even)
    t.store(_LINES, "lines")
    t.store(_WORD, "set")
    _begin_row(t, _X)
    t.label(pixel)
    t.load(_WINDOW, "pixel")
    t.load(_V, "first")
    t.load(_WEIGHTS, "set")
    t.load(_LINES, "lines")
    t.l32i(_SUMS[0], _V)
    t.label(line)
    t.mov(_AT, _WINDOW)
    _load(t, _LEFT, "filter_width")
    t.label(word)
    t.l32i(_WORD, _AT)
    t.l32i(_U, _WEIGHTS)
    t.addi(_AT, _AT, 4)
    t.mull(_U, _U, _WORD)
    t.addi(_WEIGHTS, _WEIGHTS, 4)
    t.add(_U, _U, _ROUND)
    t.srai(_U, _U, 16)
    t.addi(_LEFT, _LEFT, -1)
    t.add(_SUMS[0], _SUMS[0], _U)
    t.bnez(_LEFT, word)
    _load(t, _U, "plane_row")
    t.addi(_LINES, _LINES, -1)
    t.add(_WINDOW, _WINDOW, _U)
    t.bnez(_LINES, line)
    _requantize(t, _SUMS[0], _OUTPUT)
    t.load(_AT, "pixel")
    next_row = t.new_label("next_row")
    _load(t, _V, "output_step")
    _load(t, _U, "column_step")
    t.add(_OUTPUT, _OUTPUT, _V)
    t.add(_AT, _AT, _U)
    t.store(_AT, "pixel")
    t.load(_V, "row_end")
    t.bgeu(_AT, _V, next_row)
    t.j(pixel)
    t.label(next_row)
    _next_row(t, 1, end)
    t.load(_V, "row")
    _load(t, _U, "stride_height")
    t.add(_V, _V, _U)
    t.store(_V, "row")
    t.j(row)
    t.label(end)
    return t.text()
