# tflm: extents: along an axis: ARG_MAX, ARG_MIN, TOPK_V2, CUMSUM
# MIT license; Copyright (c) 2026 the tflm authors

from .record import divided

_SIZES = (4, 4, 1, 1, 2)  # of the kinds of kernels/topk.py


# Elements of a tensor with so many lines of `length` elements, `inner` lines side by side.
def _elements(lines, length, inner):
    return (lines - 1) // inner * (length - 1) * inner + lines + (length - 1) * inner


def _arg(r, size):
    length, inner = r.numbers(3, 2)
    r.need(r.words >= 6)
    r.reads(1, size * _elements(r.units, length, inner), align=size)
    r.writes(2, 4 * r.units, align=4)


# As many numbers must be found as the row has: it must not change meanwhile.
def _topk(r):
    (kind,) = r.numbers(4, 1, 0)
    length, count = r.numbers(5, 2)
    r.need(kind < len(_SIZES) and count <= length)
    size = _SIZES[kind]
    r.reads(1, size * r.units * length, align=size)
    r.writes(2, size * r.units * count, align=size)
    r.writes(3, 4 * r.units * count, align=4)
    r.apart(1, 2)
    r.apart(1, 3)


def _cumsum(r):
    depth, inner = r.numbers(5, 2)
    (block,) = r.numbers(9, 1)
    size = _elements(divided(r.units, depth), depth, inner)
    r.reads(1, size)
    r.writes(2, size)
    r.writes(3, 4 * min(block, depth), align=4)
    r.writes(4, min(block, depth))
    r.requantize(11, 1)
    r.need(not r[14])


def _cumsum_float(r):
    depth, inner = r.numbers(3, 2)
    r.need(r.words >= 7)
    size = 4 * divided(r.units, depth * inner) * depth * inner
    r.reads(1, size, align=4)
    r.writes(2, size, align=4)


CHECKS = {
    "arg_min_max.eval_int8": lambda r: _arg(r, 1),
    "arg_min_max_float.eval_float32": lambda r: _arg(r, 4),
    "cumsum.eval_int8": _cumsum,
    "cumsum_float.eval_float32": _cumsum_float,
    "topk.eval": _topk,
}
