# tflm: access checks: operators that only copy elements
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import LARGEST, divided

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_FILL_VALUE = const(1)
_SIZE = const(3)
_INPUT_OFFSET = const(3)
_PAD_VALUE = const(3)
_VALUE_SIZE = const(4)
_STRIDED_TABLE = const(7)
_BEFORE = const(5)
_PAD_TABLE = const(9)
_DEPTH = const(3)
_COLUMNS = const(8)
_RESIZE_TABLE = const(9)

# Words of a loop in the table of strided_copy, from its number of turns.
_TO_INPUT_STEP = const(1)
_TO_OUTPUT_STEP = const(2)


def _copy(r):
    r.reads(_INPUT, r.units)
    r.writes(_OUTPUT, r.units)


# The kernel itself finds aligned words.
def _fill(r):
    size = r[_SIZE]
    r.need(size in (1, 2, 4, 8))
    r.reads(_FILL_VALUE, size)
    r.writes(_OUTPUT, size * r.units)


# Every loop counts modulo its length, so that the loops alone limit the offsets.
def _strided(r):
    source, target, size, loops = r.numbers(_INPUT_OFFSET, 4, 0)
    r.need(size >= 1 and 2 <= loops <= 16)
    low = high = last = 0
    items = 1
    for at in range(_STRIDED_TABLE, _STRIDED_TABLE + 3 * loops, 3):
        (turns,) = r.numbers(at, 1)
        (stride,) = r.numbers(at + _TO_OUTPUT_STEP, 1, 0)
        items *= turns
        reach = (turns - 1) * r.signed(at + _TO_INPUT_STEP)
        low += min(0, reach)
        high += max(0, reach)
        last += (turns - 1) * stride
    r.need(r.units <= items < LARGEST)
    r.reads(_INPUT, high - low + size, source + low)
    r.writes(_OUTPUT, last + size, target)


def _pad(r):
    r.need(r[_VALUE_SIZE] in (1, 2, 4))
    before, inside, after, dimensions = r.numbers(_BEFORE, 4, 0)
    r.small(before + inside + after)
    r.need(dimensions <= 8)
    rows = 1
    for at in range(_PAD_TABLE, _PAD_TABLE + 3 * dimensions, 3):
        r.numbers(at, 1)
        _, length, _ = r.numbers(at, 3, 0)
        rows *= length
        r.small(rows)
    r.reads(_PAD_VALUE, r[_VALUE_SIZE], align=r[_VALUE_SIZE])
    r.reads(_INPUT, rows * inside)
    r.writes(_OUTPUT, r.units * (before + inside + after))


# The record ends with the input rows as 16 bits, and the input columns.
def _resize(r):
    depth, width, height, out_width, out_height = r.numbers(_DEPTH, 5)
    (columns,) = r.numbers(_COLUMNS, 1, 0)
    r.need(max(r.halfwords(2 * _RESIZE_TABLE, out_height)) < height)
    r.need(max(r.halfwords(2 * _RESIZE_TABLE + columns, out_width)) < width)
    r.reads(_INPUT, divided(r.units, out_height) * height * width * depth)
    r.writes(_OUTPUT, r.units * out_width * depth)


CHECKS = {
    "copy.eval_bytes": _copy,
    "fill.eval": _fill,
    "strided_copy.eval": _strided,
    "pad.eval": _pad,
    "resize_nearest_neighbor.eval": _resize,
}
