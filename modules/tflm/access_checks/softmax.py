# tflm: access checks: SOFTMAX and normalizations: units are rows
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_SOFTMAX_OUTPUT = const(2)
_EXPS = const(3)
_DEPTH = const(4)
_OUTPUT_BITS = const(5)
_SOFTMAX_LARGEST_DIFFERENCE = const(8)
_SOFTMAX_TABLE = const(10)
_SOFTMAX_INT16_EXP = const(2)
_RECIPROCAL = const(3)
_SOFTMAX_INT16_OUTPUT = const(4)
_SOFTMAX_INT16_DEPTH = const(5)
_MULTIPLIER = const(6)
_SHIFT = const(7)
_LOG_SOFTMAX_OUTPUT = const(2)
_WORDS = const(3)
_LOG_SOFTMAX_LARGEST_DIFFERENCE = const(7)
_LOG_SOFTMAX_TABLE = const(9)
_TO_EXPS = const(10)  # from the start of the table
_L2_DEPTH = const(3)
_OFFSET = const(4)
_NORM = const(3)
_MULTIPLIERS = const(3)
_RADIUS = const(5)
_SCALARS = const(3)
_SCALAR = const(3)

_MAX_DEPTH = const(8191)  # the sum of exps has 13 integer bits
_MAX_DEPTH_INT16 = const(65535)
_MAX_DEPTH_LOG = const(4095)
_LARGEST_EXP_LOG = 1 << 19
_LOG_WORDS = const(20)  # of scratch
_STEPS = const(513)  # entries of a table of int16

# Values of the tables: with other numbers loops might not end.
_EXP = (
    b"\x94\xa8\xf5\x70\xab\xaa\xaa\x2a\x7b\xbe\xaf\x63\xf2\xcb\xa2\x4d\x6c\xac\x16\x2f\xa4\xaa"
    b"\x52\x11\xb7\x2a\x58\x02\x11\xfe\x0a\x00\xf2\x00\x00\x00\x5a\x5a\x5a\x5a\xc4\xc3\xc3\xc3"
)
_LOGARITHM = (
    b"\xfc\x0b\xb9\x58\x9a\x79\x82\x5a\x65\x7e\xa2\x6b\xd1\x07\xfa\x06\x9e\x65\x9c\x07\x79\x0c"
    b"\x0d\x3f\x14\xfc\x0d\x26\x5a\x5a\x5a\x5a\xc4\xc3\xc3\xc3"
)


# Check input and output (operands 1 and `output`) with elements of `size` bytes, in rows whose
# length is word `at`. The record has `words` words.
def _rows(r, output, at, words, size, limit=1 << 30, output_size=0):
    (depth,) = r.numbers(at, 1)
    r.need(depth <= limit and r.words >= words)
    elements = r.units * depth
    r.reads(_INPUT, elements * size, align=size)
    r.writes(output, elements * (output_size or size), align=output_size or size)
    return depth


# Differences to the largest value of a row select a slot of the scratch buffer, so that a row must
# not change until it is complete, not even by the other core. In place it may change: each element
# is read for the last time just before it is written, by the core that has its row.
def _softmax(r):
    bits = r[_OUTPUT_BITS]
    largest, slots = r.numbers(_SOFTMAX_LARGEST_DIFFERENCE, 2, 0)
    r.need(bits in (8, 16) and largest <= 255 and 1 <= slots <= 256)
    r.need(r.table(_SOFTMAX_TABLE, 11) == _EXP)
    _rows(r, _SOFTMAX_OUTPUT, _DEPTH, 21, 1, _MAX_DEPTH, output_size=bits // 8)
    r.writes(_EXPS, 4 + 4 * slots, align=4)
    r.apart(_INPUT, _EXPS)
    r.apart(_INPUT, _SOFTMAX_OUTPUT, True)


# As in _softmax(), a row must not change meanwhile: its differences select entries of a table. The
# sum of the entries must be positive.
def _softmax_int16(r):
    r.need(r.signed(_MULTIPLIER) >= 0 and -31 <= r.signed(_SHIFT) <= 31)
    exps = r.constant(_SOFTMAX_INT16_EXP, 2 * _STEPS, 2)
    r.need(any(exps[-4:-2]) and any(exps[-2:]))
    r.need(not [i for i in range(1, 2 * _STEPS, 2) if exps[i] > 127])  # negative ones
    r.reads(_RECIPROCAL, 2 * _STEPS, align=2)
    _rows(r, _SOFTMAX_INT16_OUTPUT, _SOFTMAX_INT16_DEPTH, 8, 2, _MAX_DEPTH_INT16)
    r.apart(_INPUT, _SOFTMAX_INT16_OUTPUT, True)


# Differences select an exp of the table after the constants.
def _log_softmax(r):
    (largest,) = r.numbers(_LOG_SOFTMAX_LARGEST_DIFFERENCE, 1, 0)
    r.need(largest <= 255 and r.table(_LOG_SOFTMAX_TABLE, 9) == _LOGARITHM)
    exps = r.numbers(_LOG_SOFTMAX_TABLE + _TO_EXPS, largest + 1, 0)
    r.need(exps[0] and max(exps) <= _LARGEST_EXP_LOG)
    _rows(r, _LOG_SOFTMAX_OUTPUT, _DEPTH, 20, 1, _MAX_DEPTH_LOG)
    r.writes(_WORDS, 4 * _LOG_WORDS, align=4)
    r.apart(_INPUT, _LOG_SOFTMAX_OUTPUT, True)
    r.apart(_INPUT, _WORDS)


# float32, with `scalars` floats in operand `scratch`.
def _float(r, scratch, words, scalars):
    _rows(r, _OUTPUT, _DEPTH, words, 4)
    r.writes(scratch, 4 * scalars, align=4)


def _local_response_normalization(r):
    depth = _rows(r, _OUTPUT, _DEPTH, 10, 4)
    r.numbers(_RADIUS, 1, 0)
    r.writes(_MULTIPLIERS, 4 * depth, align=4)


def _l2_normalization(r):
    r.is_offset(_OFFSET)
    _rows(r, _OUTPUT, _L2_DEPTH, 5, 1)


CHECKS = {
    "l2_normalization.eval_int8": _l2_normalization,
    "l2_normalization_float.eval_float32": lambda r: _float(r, _NORM, 7, 1),
    "local_response_normalization_float.eval_float32": _local_response_normalization,
    "log_softmax.eval_int8": _log_softmax,
    "log_softmax_float.eval_float32": lambda r: _float(r, _SCALARS, 6, 2 + min(r[_DEPTH], 32)),
    "softmax.eval_int8": _softmax,
    "softmax_float.eval_float32": lambda r: _float(r, _SCALAR, 7, 1),
    "softmax_int16.eval_int16": _softmax_int16,
}
