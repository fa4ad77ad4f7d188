# tflm: extents: what only moves elements
# MIT license; Copyright (c) 2026 the tflm authors

from .record import LARGEST, divided


def _copy(r):
    r.reads(1, r.units)
    r.writes(2, r.units)


# The kernel finds words that are aligned by itself.
def _fill(r):
    size = r[3]
    r.need(size in (1, 2, 4, 8))
    r.reads(1, size)
    r.writes(2, size * r.units)


# Every loop takes its turn modulo its length, so the loops alone say how far it goes.
def _strided(r):
    source, target, size, loops = r.numbers(3, 4, 0)
    r.need(size >= 1 and 2 <= loops <= 16)
    low = high = last = 0
    items = 1
    for at in range(7, 7 + 3 * loops, 3):
        (turns,) = r.numbers(at, 1)
        (stride,) = r.numbers(at + 2, 1, 0)
        items *= turns
        way = (turns - 1) * r.signed(at + 1)
        low += min(0, way)
        high += max(0, way)
        last += (turns - 1) * stride
    r.need(r.units <= items < LARGEST)
    r.reads(1, high - low + size, source + low)
    r.writes(2, last + size, target)


def _pad(r):
    r.need(r[4] in (1, 2, 4))
    before, inside, after, dimensions = r.numbers(5, 4, 0)
    r.small(before + inside + after)
    r.need(dimensions <= 8)
    rows = 1
    for at in range(9, 9 + 3 * dimensions, 3):
        r.numbers(at, 1)
        _, length, _ = r.numbers(at, 3, 0)
        rows *= length
        r.small(rows)
    r.reads(3, r[4], align=r[4])
    r.reads(1, rows * inside)
    r.writes(2, r.units * (before + inside + after))


# The record ends with 16-bit rows of the input, and columns.
def _resize(r):
    depth, width, height, out_width, out_height = r.numbers(3, 5)
    (columns,) = r.numbers(8, 1, 0)
    r.need(max(r.halfwords(18, out_height)) < height)
    r.need(max(r.halfwords(18 + columns, out_width)) < width)
    r.reads(1, divided(r.units, out_height) * height * width * depth)
    r.writes(2, r.units * out_width * depth)


CHECKS = {
    "copy.eval_bytes": _copy,
    "fill.eval": _fill,
    "strided_copy.eval": _strided,
    "pad.eval": _pad,
    "resize_nearest_neighbor.eval": _resize,
}
