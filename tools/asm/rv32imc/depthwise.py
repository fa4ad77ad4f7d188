# Generator of the assembler kernels of DEPTHWISE_CONV_2D for RV32: rows of outputs
# MIT license; Copyright (c) 2026 the tflm authors

from .depthwise_plane import at
from .rv32 import Rv32

# Registers that all functions share; s0..s11 are for weights.
_X, _OUTPUT, _BIAS, _MULTIPLIER, _SHIFT = ("a0", "a1"), "a2", "a3", "a4", "a5"
_ROUND, _HALF, _ZERO_POINT, _LOW, _HIGH = "a6", "a7", "t4", "t5", "t6"
_SUMS, _WORD, _PRODUCT = ("t0", "t1"), "t2", "t3"
_SLOTS = ["nudge", "plane", "plane_row", "out", "output_row", "output_step", "width"]
_SLOTS += ["column_step", "rows", "row_end"]


# total += the rounded upper half of weight * word.
def _multiply(t, total, weight, word):
    t.mul(_PRODUCT, weight, word)
    t.add(_PRODUCT, _PRODUCT, _ROUND)
    t.srai(_PRODUCT, _PRODUCT, 16)
    t.add(total, total, _PRODUCT)


# Requantize as requantize.py does, with the multiplier in a register. Uses _WORD, _PRODUCT and RA.
def _requantize(t, v, output):
    shifted, above, below = t.new_label("shifted"), t.new_label("above"), t.new_label("below")
    low, carry, spare = _WORD, _PRODUCT, "ra"
    t.mul(spare, v, _MULTIPLIER)
    t.mulh(v, v, _MULTIPLIER)
    t.add(low, spare, _HALF)
    t.sltu(carry, low, spare)
    t.add(v, v, carry)
    t.slli(v, v, 1)
    t.srli(low, low, 31)
    t.or_(v, v, low)
    t.branch("beq", _SHIFT, "zero", shifted)
    t.load(low, "nudge")
    t.srai(carry, v, 31)
    t.add(v, v, carry)
    t.add(v, v, low)
    t.sra(v, v, _SHIFT)
    t.label(shifted)
    t.add(v, v, _ZERO_POINT)
    t.branch("bge", v, _LOW, above)
    t.mv(v, _LOW)
    t.label(above)
    t.branch("bge", _HIGH, v, below)
    t.mv(v, _HIGH)
    t.label(below)
    t.sb(v, output)


# Copy parameters to registers and slots. Leaves the channel's stream in A2. `table` is a register
# with the offset of the multiplier in the stream; it is destroyed.
def _begin(t, table):
    t.add("a1", "a1", "a0")
    for register, name in (
        (_ZERO_POINT, "output_zero_point"),
        (_LOW, "activation_min"),
        (_HIGH, "activation_max"),
    ):
        t.lw(register, "a1", at(name))
    for name in ("plane_row", "output_row", "output_step", "width", "column_step", "rows"):
        t.lw("t0", "a1", at(name))
        t.store("t0", name)
    for name, slot in (("plane", "plane"), ("output", "out")):
        t.lw("t0", "a1", at(name))
        t.add("t0", "t0", "a0")
        t.store("t0", slot)
    t.lw("t0", "a1", at("stream"))
    t.add("a2", "a2", "t0")
    t.lw(table, "a1", at("table"))
    t.add(table, table, "a2")
    t.lw("t0", table)
    t.lw(_MULTIPLIER, table, 4)
    t.lw(_SHIFT, table, 8)
    t.slli(_MULTIPLIER, _MULTIPLIER, 16)
    t.add(_MULTIPLIER, _MULTIPLIER, "t0")
    t.li("t0", 1)
    t.sll("t0", "t0", _SHIFT)
    t.srli("t0", "t0", 1)
    t.store("t0", "nudge")
    t.li(_ROUND, 0x8000)
    t.li(_HALF, 1 << 30)
    t.lw(_BIAS, "a2")


# Branch to `pixel` until the row ends; `columns` are the pointers into the plane.
def _next_pixel(t, pixel, columns):
    t.load("t0", "output_step")
    t.add(_OUTPUT, _OUTPUT, "t0")
    t.load("t0", "column_step")
    for x in columns:
        t.add(x, x, "t0")
    t.load("t0", "row_end")
    t.branch("bltu", columns[0], "t0", pixel)


# Branch to `end` unless rows are left; the output of the next row is `count` rows ahead.
def _next_row(t, count, end):
    t.load("t0", "rows")
    t.addi("t0", "t0", -count)
    t.branch("bge", "zero", "t0", end)
    t.store("t0", "rows")
    t.load("t0", "output_row")
    if count == 2:
        t.slli("t0", "t0", 1)
    t.load("t1", "out")
    t.add("t1", "t1", "t0")
    t.store("t1", "out")


_3X3 = """
The rows of a channel, 3x3 with stride 1, two rows at a time. `a0` is the arena, `a1` the offset
of a block of parameters in it (DEPTHWISE in tools/asm/common/parameters.py), `a2` the memory of
the stream.
"""
_3X3_STRIDE_2 = """
The rows of a channel, 3x3 with a vertical stride of 2. `a0` is the arena, `a1` the offset of a
block of parameters in it (DEPTHWISE in tools/asm/common/parameters.py), `a2` the memory of the
stream.
"""


# The weights of all six words of the plane under a window are in registers: weights of the upper
# row and, with `both`, of the lower row.
def _three(name, about, both):
    t = Rv32(name, about, 4, _SLOTS)
    _begin(t, "s0")
    count = 2 if both else 1
    for i in range(6 * count):
        t.lw(f"s{i}", "a2", 4 + 4 * i)
    row, pixel = t.new_label("row"), t.new_label("pixel")
    t.label(row)
    t.load(_X[0], "plane")
    t.load("t0", "plane_row")
    t.add(_X[1], _X[0], "t0")
    t.load("t0", "width")
    t.add("t0", "t0", _X[0])
    t.store("t0", "row_end")
    t.load(_OUTPUT, "out")
    t.label(pixel)
    for total in _SUMS[:count]:
        t.mv(total, _BIAS)
    for i in range(6):
        t.lw(_WORD, _X[i // 3], 4 * (i % 3))
        for k, total in enumerate(_SUMS[:count]):
            _multiply(t, total, f"s{count * i + k}", _WORD)
    _requantize(t, _SUMS[0], _OUTPUT)
    if both:
        alone = t.new_label("alone")
        t.load(_WORD, "rows")
        t.addi(_WORD, _WORD, -1)
        t.branch("beq", _WORD, "zero", alone)
        t.load(_SUMS[0], "output_row")
        t.add(_SUMS[0], _SUMS[0], _OUTPUT)
        _requantize(t, _SUMS[1], _SUMS[0])
        t.label(alone)
    end = t.new_label("end")
    _next_pixel(t, pixel, _X)
    _next_row(t, count, end)
    t.load("t0", "plane_row")
    t.load("t1", "plane")
    t.add("t1", "t1", "t0")
    t.store("t1", "plane")
    t.jump(row)
    t.label(end)
    return t.text()


def rows_3x3():
    return _three("rows_3x3", _3X3, True)


def rows_3x3_stride_2():
    return _three("rows_3x3_stride_2", _3X3_STRIDE_2, False)


_ANY = """
The rows of a channel with a filter of any size. `a0` is the arena, `a1` the offset of a block of
parameters in it (DEPTHWISE in tools/asm/common/parameters.py), `a2` the memory of the stream.
"""


# A window begins in the upper or in the lower half of a row of the plane; the stream has weights
# for both cases. s0: the window's row in the plane; s1: its stride; s2, s3: rows of words and the
# weights of this row; s4: first word of the row of windows; s5: rows left; s6: words left in a
# row; s7: weights; s8: a row of the window; s9: words; s10: width of the filter.
def rows_any():
    t = Rv32("rows_any", _ANY, 4, [*_SLOTS, "even_rows", "odd_rows", "even", "odd"])
    t.add("s0", "a1", "a0")
    for name in ("even_rows", "odd_rows", "odd_set"):
        t.lw("t0", "s0", at(name))
        t.store("t0", "odd" if name == "odd_set" else name)
    t.lw("s1", "s0", at("stride_height"))
    t.lw("s10", "s0", at("filter_width"))
    _begin(t, "s2")
    t.addi("t0", "a2", 4)
    t.store("t0", "even")
    t.load("t0", "odd")
    t.add("t0", "t0", "a2")
    t.store("t0", "odd")
    t.load("s4", "plane")
    t.li("s0", 0)
    row, pixel, even = t.new_label("row"), t.new_label("pixel"), t.new_label("even")
    line, word = t.new_label("line"), t.new_label("word")
    t.label(row)
    t.srli("t0", "s0", 1)
    t.load("t1", "plane_row")
    t.mul("t0", "t0", "t1")
    t.add(_X[0], "t0", "s4")
    t.load("t0", "width")
    t.add("t0", "t0", _X[0])
    t.store("t0", "row_end")
    t.load(_OUTPUT, "out")
    t.load("s2", "even_rows")
    t.load("s3", "even")
    t.andi("t0", "s0", 1)
    t.branch("beq", "t0", "zero", even)
    t.load("s2", "odd_rows")
    t.load("s3", "odd")
    t.label(even)
    t.label(pixel)
    t.mv(_SUMS[0], _BIAS)
    t.mv("s5", "s2")
    t.mv("s7", "s3")
    t.mv("s8", _X[0])
    t.label(line)
    t.mv("s6", "s10")
    t.mv("s9", "s8")
    t.label(word)
    t.lw(_WORD, "s9")
    t.lw(_SUMS[1], "s7")
    _multiply(t, _SUMS[0], _SUMS[1], _WORD)
    t.addi("s9", "s9", 4)
    t.addi("s7", "s7", 4)
    t.addi("s6", "s6", -1)
    t.branch("bne", "s6", "zero", word)
    t.load("t1", "plane_row")
    t.add("s8", "s8", "t1")
    t.addi("s5", "s5", -1)
    t.branch("bne", "s5", "zero", line)
    _requantize(t, _SUMS[0], _OUTPUT)
    end = t.new_label("end")
    _next_pixel(t, pixel, _X[:1])
    _next_row(t, 1, end)
    t.add("s0", "s0", "s1")
    t.jump(row)
    t.label(end)
    return t.text()
