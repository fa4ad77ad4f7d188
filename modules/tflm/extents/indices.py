# tflm: extents: what moves elements to or from places that are known at run time only
# MIT license; Copyright (c) 2026 the tflm authors

from .broadcast import binary
from .record import divided

_MOST_DIMENSIONS = 8


# The kernel checks each place, with numbers of the table that must not be too large to be added.
def _gather(r):
    row, extent, coordinates, outer = r.numbers(4, 4)
    (depth,) = r.numbers(8, 1, 0)
    r.need(row <= extent and depth <= _MOST_DIMENSIONS)
    far = 0
    for at in range(9, 9 + 2 * depth, 2):
        stride, largest = r.numbers(at, 2, 0)
        far += stride * largest
    r.small(far)
    blocks = divided(r.units, coordinates)
    r.reads(1, blocks * extent)
    r.reads(2, 4 * depth * coordinates * divided(blocks, outer), align=4)
    r.writes(3, r.units * row)


# An index that points outside writes nothing.
def _one_hot(r):
    r.need(r[4] <= 1)
    size, depth, inner = r.numbers(5, 3)
    r.reads(1, (4 << r[4]) * r.units, align=4)
    r.reads(2, size)
    before = (r.units - 1) // inner * (depth - 1)
    r.writes(3, size * ((before + depth - 1) * inner + r.units))


# Blocks stay in their group, which has `steps` times `step` of them.
def _reverse_sequence(r):
    r.need(r[4] <= 1)
    size, steps, step, batches, _ = r.numbers(5, 5)
    r.reads(1, divided(r.units, steps * step) * steps * step * size)
    r.reads(2, (4 << r[4]) * batches, align=4)
    r.writes(3, r.units * size)


# A begin is moved to where the slice lies inside: 0 to the largest of its table.
def _slice(r):
    words, row, dimensions = r.numbers(4, 3)
    into = r[7]
    r.need(words <= 2 and dimensions <= _MOST_DIMENSIONS and into <= 1)
    last = 0
    for level in range(dimensions):
        (size,) = r.numbers(8 + 3 * level, 1)
        stride, largest = r.numbers(9 + 3 * level, 2, 0)
        if level == dimensions - 1:
            size = 1  # its part is the row
        last += (size - 1 + largest) * stride
    dense = r.units * row
    r.reads(1, dense if into else last + row)
    r.writes(2, last + row if into else dense)
    r.reads(3, 4 * words * dimensions, align=4)


def _broadcast_args(r):
    (words,) = r.numbers(4, 1)
    length1, length2, length = r.numbers(5, 3, 0)
    r.need(words <= 2 and max(length1, length2, r.units) <= length)
    r.reads(1, 4 * words * length1, align=4)
    r.reads(2, 4 * words * length2, align=4)
    r.writes(3, 4 * words * r.units, align=4)


# The condition has bytes.
def _select(r):
    size = r[12]
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
