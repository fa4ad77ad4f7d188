# tflm: access checks: operators that copy elements from or to computed indices
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .broadcast import binary
from .record import divided

# Words of the records.
_INPUT = const(1)
_GATHER_INDICES = const(2)
_GATHER_OUTPUT = const(3)
_ROW = const(4)
_DEPTH = const(8)
_GATHER_TABLE = const(9)
_ONE_HOT_INDICES = const(1)
_VALUE = const(2)
_ONE_HOT_OUTPUT = const(3)
_WIDE = const(4)
_ONE_HOT_SIZE = const(5)
_LENGTHS = const(2)
_REVERSE_SEQUENCE_OUTPUT = const(3)
_REVERSE_SEQUENCE_SIZE = const(5)
_SLICE_OUTPUT = const(2)
_BEGIN = const(3)
_BEGIN_WORDS = const(4)
_INTO = const(7)
_SLICE_TABLE = const(8)
_TO_STRIDE = const(1)  # of a dimension, after its size
_INPUT1 = const(1)
_INPUT2 = const(2)
_BROADCAST_ARGS_OUTPUT = const(3)
_WORDS = const(4)
_LENGTH1 = const(5)
_SELECT_SIZE = const(12)

_MAX_DIMENSIONS = const(8)


# The kernel checks each index; the numbers of the table must be small enough to be added.
def _gather(r):
    row, extent, coordinates, outer = r.numbers(_ROW, 4)
    (depth,) = r.numbers(_DEPTH, 1, 0)
    r.need(row <= extent and depth <= _MAX_DIMENSIONS)
    far = 0
    for at in range(_GATHER_TABLE, _GATHER_TABLE + 2 * depth, 2):
        stride, largest = r.numbers(at, 2, 0)
        far += stride * largest
    r.small(far)
    blocks = divided(r.units, coordinates)
    r.reads(_INPUT, blocks * extent)
    r.reads(_GATHER_INDICES, 4 * depth * coordinates * divided(blocks, outer), align=4)
    r.writes(_GATHER_OUTPUT, r.units * row)


# An index out of range writes nothing.
def _one_hot(r):
    r.need(r[_WIDE] <= 1)
    size, depth, inner = r.numbers(_ONE_HOT_SIZE, 3)
    r.reads(_ONE_HOT_INDICES, (4 << r[_WIDE]) * r.units, align=4)
    r.reads(_VALUE, size)
    before = (r.units - 1) // inner * (depth - 1)
    r.writes(_ONE_HOT_OUTPUT, size * ((before + depth - 1) * inner + r.units))


# Blocks stay in their group, which has `steps` times `step` blocks.
def _reverse_sequence(r):
    r.need(r[_WIDE] <= 1)
    size, steps, step, batches, _ = r.numbers(_REVERSE_SEQUENCE_SIZE, 5)
    r.reads(_INPUT, divided(r.units, steps * step) * steps * step * size)
    r.reads(_LENGTHS, (4 << r[_WIDE]) * batches, align=4)
    r.writes(_REVERSE_SEQUENCE_OUTPUT, r.units * size)


# A begin out of range is moved to 0 or to the largest begin of the table.
def _slice(r):
    words, row, dimensions = r.numbers(_BEGIN_WORDS, 3)
    into = r[_INTO]
    r.need(words <= 2 and dimensions <= _MAX_DIMENSIONS and into <= 1)
    last = 0
    for level in range(dimensions):
        (size,) = r.numbers(_SLICE_TABLE + 3 * level, 1)
        stride, largest = r.numbers(_SLICE_TABLE + _TO_STRIDE + 3 * level, 2, 0)
        if level == dimensions - 1:
            size = 1  # the row's part of the slice
        last += (size - 1 + largest) * stride
    dense = r.units * row
    r.reads(_INPUT, dense if into else last + row)
    r.writes(_SLICE_OUTPUT, last + row if into else dense)
    r.reads(_BEGIN, 4 * words * dimensions, align=4)


def _broadcast_args(r):
    (words,) = r.numbers(_WORDS, 1)
    length1, length2, length = r.numbers(_LENGTH1, 3, 0)
    r.need(words <= 2 and max(length1, length2, r.units) <= length)
    r.reads(_INPUT1, 4 * words * length1, align=4)
    r.reads(_INPUT2, 4 * words * length2, align=4)
    r.writes(_BROADCAST_ARGS_OUTPUT, 4 * words * r.units, align=4)


# The condition has one byte per element.
def _select(r):
    size = r[_SELECT_SIZE]
    r.need(size in (1, 2, 4, 8))
    binary(r, (1, size), size, 13)


CHECKS = {
    "broadcast_args.eval": _broadcast_args,
    "gather.eval": _gather,
    "one_hot.eval": _one_hot,
    "reverse_sequence.eval": _reverse_sequence,
    "select.eval": _select,
    "slice.eval_computed": _slice,
}
