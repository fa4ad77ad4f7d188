# tflm: access checks: operators along an axis: ARG_MAX, ARG_MIN, TOPK_V2, CUMSUM
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .record import divided

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_ARG_LENGTH = const(3)
_VALUES = const(2)
_INDICES = const(3)
_KIND = const(4)
_TOPK_LENGTH = const(5)
_ACCUMULATORS = const(3)
_ROW = const(4)
_CUMSUM_DEPTH = const(5)
_BLOCK = const(9)
_OUTPUT_ZERO_POINT = const(11)
_PER_CHANNEL = const(14)
_CUMSUM_FLOAT_DEPTH = const(3)

_SIZES = (4, 4, 1, 1, 2)  # of the kinds of kernels/topk.py


# Elements of a tensor with `lines` lines of `length` elements, `inner` lines next to each other.
def _elements(lines, length, inner):
    return (lines - 1) // inner * (length - 1) * inner + lines + (length - 1) * inner


def _arg(r, size):
    length, inner = r.numbers(_ARG_LENGTH, 2)
    r.need(r.words >= 6)
    r.reads(_INPUT, size * _elements(r.units, length, inner), align=size)
    r.writes(_OUTPUT, 4 * r.units, align=4)


# TOPK_V2 must find k numbers in each row, so that the row must not change meanwhile.
def _topk(r):
    (kind,) = r.numbers(_KIND, 1, 0)
    length, count = r.numbers(_TOPK_LENGTH, 2)
    r.need(kind < len(_SIZES) and count <= length)
    size = _SIZES[kind]
    r.reads(_INPUT, size * r.units * length, align=size)
    r.writes(_VALUES, size * r.units * count, align=size)
    r.writes(_INDICES, 4 * r.units * count, align=4)
    r.apart(_INPUT, _VALUES)
    r.apart(_INPUT, _INDICES)


def _cumsum(r):
    depth, inner = r.numbers(_CUMSUM_DEPTH, 2)
    (block,) = r.numbers(_BLOCK, 1)
    size = _elements(divided(r.units, depth), depth, inner)
    r.reads(_INPUT, size)
    r.writes(_OUTPUT, size)
    r.writes(_ACCUMULATORS, 4 * min(block, depth), align=4)
    r.writes(_ROW, min(block, depth))
    r.requantize(_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_PER_CHANNEL])


def _cumsum_float(r):
    depth, inner = r.numbers(_CUMSUM_FLOAT_DEPTH, 2)
    r.need(r.words >= 7)
    size = 4 * divided(r.units, depth * inner) * depth * inner
    r.reads(_INPUT, size, align=4)
    r.writes(_OUTPUT, size, align=4)


CHECKS = {
    "arg_min_max.eval_int8": lambda r: _arg(r, 1),
    "arg_min_max_float.eval_float32": lambda r: _arg(r, 4),
    "cumsum.eval_int8": _cumsum,
    "cumsum_float.eval_float32": _cumsum_float,
    "topk.eval": _topk,
}
