# Generator of the assembler kernels of 3x3 DEPTHWISE_CONV_2D for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from ..common.parameters import DEPTHWISE, at
from . import depthwise_plane
from .mac16 import Mac16
from .mac16_requantize import folded

_X, _OUTPUT, _CORNER, _BIAS = ("a2", "a3"), "a4", "a5", "a6"
_UPPER, _LOWER = ("a7", "a8", "a9"), ("a10", "a11", "a12")  # words of the plane under a window
_V, _U, _Y = "a13", "a14", "a15"

# The weights of the upper two rows are pairs, one for each column. The weights of the lowest row
# are two separate words: (left, middle), (right, 0). Each is (register, half).
_PAIRS = ("m0", "m1", "m2")
_LOWEST = (("m3", "l"), ("m3", "h"), (_CORNER, "l"))

_PARAMETERS = ["plane", "output", "rows", "plane_row", "width", "output_step", "output_row"]
_PARAMETERS += ["column_step", "output_zero_point", "activation_min", "activation_max"]
_OWN = ["row_end", "factor", "half"]
_ABOUT = """
The rows of a channel, 3x3 with {}, from a plane of
halfwords with 128 added. The arguments are the arena, the offset of a block of parameters in it
(DEPTHWISE in tools/asm/common/parameters.py), and the memory of the stream (prepare/mac16.py).
"""


def build_plane():
    return depthwise_plane.build_plane()


# _V = the sum of an output whose window begins in the upper or (odd) in the lower row of a word.
def _sum(t, odd):
    t.wsr_acclo(_BIAS)
    for column in range(3):
        upper, lower = _UPPER[column], _LOWER[column]
        # The three rows of the window.
        rows = ((upper, "h"), (lower, "l"), (lower, "h")) if odd else \
            ((upper, "l"), (upper, "h"), (lower, "l"))  # fmt: skip
        pair = _PAIRS[column]
        for weight, word in zip(((pair, "l"), (pair, "h"), _LOWEST[column]), rows, strict=True):
            # Only m0 and m1 can come first.
            one, other = (weight, word) if weight[0] in ("m0", "m1") else (word, weight)
            t.mula(one[1] + other[1], one[0], other[0])
    t.rsr_acclo(_V)


def _folded(t):
    t.load(_U, "factor")
    t.load(_Y, "output_zero_point")
    folded(t, _V, _U, _Y, _U)


# Requantize as mac16_requantize.twice() does; registers are loaded when they are needed.
def _twice(t):
    shifted = t.new_label("shifted")
    t.load(_U, "factor")
    t.mulsh(_Y, _V, _U)
    t.mull(_V, _V, _U)
    t.load(_U, "half")
    t.extui(_V, _V, 31, 1)
    t.add(_V, _V, _Y)
    t.beqz(_U, shifted)
    t.srai(_Y, _V, 31)
    t.add(_V, _V, _U)
    t.add(_V, _V, _Y)
    t.sra(_V, _V)
    t.label(shifted)
    t.load(_U, "output_zero_point")
    t.load(_Y, "activation_min")
    t.add(_V, _V, _U)
    t.load(_U, "activation_max")
    t.max(_V, _V, _Y)
    t.min(_V, _V, _U)


# Compute all rows of a channel, `count` at a time; `requantize` makes outputs of sums.
def _rows(t, count, requantize, end):
    row, pixel, alone = map(t.new_label, ("row", "pixel", "alone"))
    t.label(row)
    t.load(_X[0], "plane")
    t.load(_V, "plane_row")
    t.load(_U, "width")
    t.add(_X[1], _X[0], _V)
    t.add(_U, _U, _X[0])
    t.store(_X[1], "plane")
    t.store(_U, "row_end")
    t.load(_OUTPUT, "output")
    t.label(pixel)
    for words, address in zip((_UPPER, _LOWER), _X, strict=True):
        for column, word in enumerate(words):
            t.l32i(word, address, 4 * column)
    _sum(t, False)
    requantize(t)
    t.s8i(_V, _OUTPUT, 0)
    if count == 2:
        t.load(_V, "rows")
        t.addi(_V, _V, -1)
        t.beqz(_V, alone)
        _sum(t, True)
        requantize(t)
        t.load(_U, "output_row")
        t.add(_U, _U, _OUTPUT)
        t.s8i(_V, _U, 0)
        t.label(alone)
    t.load(_U, "output_step")
    t.load(_V, "column_step")
    t.load(_Y, "row_end")
    t.add(_OUTPUT, _OUTPUT, _U)
    for address in _X:
        t.add(address, address, _V)
    t.far("bltu", _X[0], _Y, pixel)
    t.load(_V, "rows")
    t.load(_U, "output_row")
    t.addi(_V, _V, -count)
    t.store(_V, "rows")
    t.movi(_Y, 0)
    t.far("bge", _Y, _V, end)
    if count == 2:
        t.slli(_U, _U, 1)
    t.load(_V, "output")
    t.add(_V, _V, _U)
    t.store(_V, "output")
    t.j(row)


# a2: arena, a3: offset, a4: memory of the stream.
def _three(name, about, count, mulsh):
    t = Mac16(name, _ABOUT.format(about), 4, [*_PARAMETERS, *_OWN], mulsh)
    is_folded, end = t.new_label("folded"), t.new_label("end")
    t.add("a3", "a3", "a2")
    for word in _PARAMETERS:
        t.l32i(_V, "a3", at(DEPTHWISE, word))
        if word in ("plane", "output"):
            t.add(_V, _V, "a2")
        t.store(_V, word)
    t.l32i(_V, "a3", at(DEPTHWISE, "stream"))
    t.add("a4", "a4", _V)
    t.addi("a4", "a4", -4)
    for weights in ("m0", "m1", "m2", "m3"):
        t.ldinc(weights, "a4")
    for register, offset in ((_CORNER, 4), (_BIAS, 8), (_U, 12), (_V, 16), (_Y, 20)):
        t.l32i(register, "a4", offset)
    t.store(_U, "factor")
    t.store(_Y, "half")
    t.bltz(_V, is_folded)
    t.ssr(_V)
    _rows(t, count, _twice, end)
    t.label(is_folded)
    _rows(t, count, _folded, end)
    t.label(end)
    return t.text()


def rows_3x3(mulsh=True):
    return _three("rows_3x3", "stride 1, two rows at a time", 2, mulsh)


def rows_3x3_stride_2(mulsh=True):
    return _three("rows_3x3_stride_2", "a vertical stride of 2", 1, mulsh)
