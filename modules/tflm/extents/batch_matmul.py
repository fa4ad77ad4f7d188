# tflm: extents: BATCH_MATMUL
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from . import sums_int16
from .record import divided

# Words of the records.
_OUTPUT = const(3)
_SCRATCH = const(4)
_OUTPUT_ZERO_POINT = const(22)
_PER_CHANNEL = const(25)

_BLOCK = 32  # taps, and sums, that the kernels hold at a time


# Fields of prepare/batch_matmul.py: _GEOMETRY from word `at` on, with elements of `size` bytes:
# what is read of both matrices (operands 1 and 2) and written. Returns columns and depth.
def _matrices(r, at, size):
    rows, columns = r.numbers(at, 2)
    (depth,) = r.numbers(at + 2, 1, 0)
    left_row, left_depth, right_column, right_depth = r.numbers(at + 3, 4, min(depth, 1))
    middle, last = r.numbers(at + 7, 2)
    outer = divided(r.units, rows * columns * middle * last)
    batches = (outer - 1, middle - 1, last - 1)
    if depth:
        steps = batches + (rows - 1, depth - 1)
        _matrix(r, 1, size, steps, r.numbers(at + 9, 3, 0) + (left_row, left_depth))
        steps = batches + (columns - 1, depth - 1)
        _matrix(r, 2, size, steps, r.numbers(at + 12, 3, 0) + (right_column, right_depth))
    r.need(r.words >= at + 15)
    r.writes(_OUTPUT, size * r.units, align=size)
    return columns, depth


# The matrix of operand `i`: how many steps it is to its last element in each dimension, and the
# stride of each.
def _matrix(r, i, size, steps, strides):
    r.reads(i, size * (1 + sum([n * k for n, k in zip(steps, strides)])), align=size)


# `wide`: int16, sums and taps are pairs of words.
def _integers(r, wide):
    columns, depth = _matrices(r, 5, 1 << wide)
    r.need(not r[_PER_CHANNEL])
    r.writes(_SCRATCH, (4 << wide) * (min(columns, _BLOCK) + min(depth, _BLOCK)), align=4)
    if wide:
        sums_int16.requantize(r, 22, 1, 1)
    else:
        r.requantize(_OUTPUT_ZERO_POINT, 1)


CHECKS = {
    "batch_matmul.eval_int8": lambda r: _integers(r, 0),
    "batch_matmul_int16.eval_int16": lambda r: _integers(r, 1),
    "batch_matmul_float.eval_float32": lambda r: _matrices(r, 4, 4),
}
