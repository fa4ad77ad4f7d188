# tflm: access checks: BATCH_MATMUL
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided
from .sums_int16 import requantize

# Words of the records.
_LEFT = const(1)
_RIGHT = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_FLOAT_ROWS = const(4)
_ROWS = const(5)
_OUTPUT_ZERO_POINT = const(22)
_PER_CHANNEL = const(25)

# Words of the geometry (prepare/batch_matmul.py), from its first.
_TO_DEPTH = const(2)
_TO_LEFT_ROW_STRIDE = const(3)
_TO_MIDDLE_BATCHES = const(7)
_TO_LEFT_BATCH_STRIDE_0 = const(9)
_TO_RIGHT_BATCH_STRIDE_0 = const(12)

_BLOCK = const(32)  # taps, and sums, that the kernels unpack at a time


# Check the words _GEOMETRY of prepare/batch_matmul.py from word `at` on, with elements of `size`
# bytes: the matrices (operands 1 and 2) and the output. Return columns and depth.
def _matrices(r, at, size):
    rows, columns = r.numbers(at, 2)
    (depth,) = r.numbers(at + _TO_DEPTH, 1, 0)
    strides = r.numbers(at + _TO_LEFT_ROW_STRIDE, 4, min(depth, 1))
    middle, last = r.numbers(at + _TO_MIDDLE_BATCHES, 2)
    outer = divided(r.units, rows * columns * middle * last)
    batches = (outer - 1, middle - 1, last - 1)
    if depth:
        steps = batches + (rows - 1, depth - 1)
        batches_left = r.numbers(at + _TO_LEFT_BATCH_STRIDE_0, 3, 0)
        _matrix(r, _LEFT, size, steps, batches_left + strides[:2])
        steps = batches + (columns - 1, depth - 1)
        batches_right = r.numbers(at + _TO_RIGHT_BATCH_STRIDE_0, 3, 0)
        _matrix(r, _RIGHT, size, steps, batches_right + strides[2:])
    r.need(r.words >= at + 15)
    r.writes(_OUTPUT, size * r.units, align=size)
    return columns, depth


# Check the matrix of operand `i`: `steps` to its last element in each dimension, times the
# strides.
def _matrix(r, i, size, steps, strides):
    r.reads(i, size * (1 + sum([n * k for n, k in zip(steps, strides)])), align=size)


# `wide`: int16, sums and taps are pairs of words.
def _integers(r, wide):
    columns, depth = _matrices(r, _ROWS, 1 << wide)
    r.need(not r[_PER_CHANNEL])
    r.writes(_SCRATCH, (4 << wide) * (min(columns, _BLOCK) + min(depth, _BLOCK)), align=4)


def _int8(r):
    _integers(r, 0)
    r.requantize(_OUTPUT_ZERO_POINT, 1)


def _int16(r):
    _integers(r, 1)
    requantize(r, _OUTPUT_ZERO_POINT, 1, 1)


CHECKS = {
    "batch_matmul.eval_int8": _int8,
    "batch_matmul_int16.eval_int16": _int16,
    "batch_matmul_float.eval_float32": lambda r: _matrices(r, _FLOAT_ROWS, 4),
}
