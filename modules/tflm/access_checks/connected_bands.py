# tflm: access checks: FULLY_CONNECTED in banded execution
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_WEIGHTS = const(3)
_BIAS = const(4)
_TAPS = const(5)
_DEPTH = const(6)
_INPUT_OFFSET = const(9)
_WEIGHTS_OFFSET = const(10)
_FLOAT_DEPTH = const(4)
_OUTPUT_ZERO_POINT = const(3)
_END_BIAS = const(3)

# Words from the depth on.
_TO_FIRST = const(1)
_TO_COUNT = const(2)

_BLOCK = const(64)  # taps that the kernel unpacks at a time


# Check input, weights and sums. `at`: the word of the depth; the first weight and the number of
# weights follow.
def _sums(r, at, words, size):
    (depth,) = r.numbers(at, 1)
    (first,) = r.numbers(at + _TO_FIRST, 1, 0)
    (count,) = r.numbers(at + _TO_COUNT, 1)
    r.need(first + count <= depth and r.words >= words)
    r.small(r.units * depth * size)
    r.reads(_INPUT, count * size, align=size)
    r.reads(_WEIGHTS, r.units * depth * size, align=size)
    r.writes(_OUTPUT, 4 * r.units, align=4)
    return count


def _int8(r):
    count = _sums(r, _DEPTH, 12, 1)
    if r.has(_BIAS):
        r.reads(_BIAS, 4 * r.units, align=4)
    r.writes(_TAPS, 4 * min(count, _BLOCK), align=4)
    r.is_offset(_INPUT_OFFSET)
    r.is_offset(_WEIGHTS_OFFSET)


def _end_int8(r):
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, r.units)
    r.requantize(_OUTPUT_ZERO_POINT, r.units)


def _end_float32(r):
    r.need(r.words >= 6)
    r.writes(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)
    if r.has(_END_BIAS):
        r.reads(_END_BIAS, 4 * r.units, align=4)


CHECKS = {
    "fully_connected_bands.eval_end_int8": _end_int8,
    "fully_connected_bands.eval_int8": _int8,
    "fully_connected_bands_float.eval_end_float32": _end_float32,
    "fully_connected_bands_float.eval_float32": lambda r: _sums(r, _FLOAT_DEPTH, 8, 4),
}
