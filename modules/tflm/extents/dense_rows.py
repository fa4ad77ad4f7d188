# tflm: extents: FULLY_CONNECTED whose input comes some of its elements at a time
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_BIAS = const(3)
_WEIGHTS = const(4)
_DEPTH = const(5)
_INPUT_OFFSET = const(8)
_WEIGHTS_OFFSET = const(9)
_FLIP = const(10)
_OUTPUT_ZERO_POINT = const(3)


# Some more elements, of `size` bytes; sums have 4.
def _add(r, size):
    depth, first, count = r.numbers(_DEPTH, 3, 0)
    r.need(count > 0 and first + count <= depth)
    r.reads(_INPUT, count * size, align=size)
    r.reads(_WEIGHTS, r.units * depth * size, align=size)
    r.writes(_OUTPUT, 4 * r.units, align=4)


def _add_int8(r):
    _add(r, 1)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * r.units, align=4)
    r.is_offset(_INPUT_OFFSET)
    r.is_offset(_WEIGHTS_OFFSET)
    r.is_offset(_FLIP)


def _add_float(r):
    _add(r, 4)


# What is made of the sums.
def _end_int8(r):
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, r.units)
    r.requantize(_OUTPUT_ZERO_POINT, r.units)


def _end_float(r):
    r.need(r.words >= 6)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * r.units, align=4)


CHECKS = {
    "dense_rows.eval_end_float32": _end_float,
    "dense_rows.eval_end_int8": _end_int8,
    "dense_rows.eval_float32": _add_float,
    "dense_rows.eval_int8": _add_int8,
}
