# tflm: access checks: RMS norms and layer norms as one step: units are rows
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records of int8.
_INPUT = const(1)
_OUTPUT = const(2)
_SQUARES = const(3)
_ROOTS = const(4)
_WEIGHTS = const(5)
_SUMS = const(6)
_DEPTH = const(7)
_MEAN_ZERO_POINT = const(8)
_PRODUCT_OFFSET1 = const(15)
_OUTPUT_OFFSET1 = const(24)

# Words from the start of a block, or from the offsets before it.
_TO_PER_CHANNEL = const(3)
_TO_CHANNELS = const(4)
_TO_OFFSET2 = const(1)
_TO_ZERO_POINT = const(2)

_MAX_DEPTH = const(1 << 20)  # the sum of the squares must fit a word

# Words of the records of float32.
_FLOAT_DEPTH = const(5)
_OPERATIONS = const(8)
_TABLE = const(9)
_KINDS = const(64)
_KIND = const(7)
_SQRT = const(5)
_ROW = const(4)
_ROWS = const(2)
_CONSTANTS = const(3)  # number of the operand that no operation writes


# The REQUANTIZE block at word `at` has one multiplier.
def _block(r, at):
    r.requantize(at, 1)
    r.need(not r[at + _TO_PER_CHANNEL] and r[at + _TO_CHANNELS] == 1)


def _int8(r):
    (depth,) = r.numbers(_DEPTH, 1)
    r.need(depth <= _MAX_DEPTH)
    _block(r, _MEAN_ZERO_POINT)
    for at in (_PRODUCT_OFFSET1, _OUTPUT_OFFSET1):
        r.is_offset(at)
        r.is_offset(at + _TO_OFFSET2)
        _block(r, at + _TO_ZERO_POINT)
    r.reads(_INPUT, r.units * depth)
    r.writes(_OUTPUT, r.units * depth)
    r.reads(_SQUARES, 256)
    r.reads(_ROOTS, 256)
    if r.has(_WEIGHTS):
        r.reads(_WEIGHTS, depth)
    r.writes(_SUMS, 8, align=4)


# An operation names elements or rows of operands 1 to 4: input, output, scratch, constants.
def _float32(r):
    (depth,), (operations,) = r.numbers(_FLOAT_DEPTH, 1), r.numbers(_OPERATIONS, 1)
    ends = [0] * 4
    r.need(r.words >= _TABLE + 4 * operations)
    for first in range(_TABLE, _TABLE + 4 * operations, 4):
        kind, *locations = r.numbers(first, 4, 0)
        r.need(kind < _KINDS and kind & _KIND <= _SQRT)
        r.need(locations[0] & 3 not in (0, _CONSTANTS))
        r.need(kind & _KIND != _SQRT or not (locations[0] | locations[1]) & _ROW)
        for i, location in enumerate(locations):
            end = (location >> 3) + (depth if location & _ROW else 1)
            if not (kind & _KIND or i):
                end += 1  # one of the products, if their sum is too large
            ends[location & 3] = max(ends[location & 3], end)
    for i, end in enumerate(ends):
        if i < _ROWS:
            r.need(end <= depth)
            end = r.units * depth
        check = r.reads if i in (0, _CONSTANTS) else r.writes
        check(1 + i, 4 * end, align=4)


CHECKS = {"norm.eval_int8": _int8, "norm_float.eval_float32": _float32}
