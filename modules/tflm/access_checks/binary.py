# tflm: access checks: operators with two inputs, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .broadcast import binary

# Words of the records.
_ADD_OUTPUT_ZERO_POINT = const(18)
_ADD_PER_CHANNEL = const(21)
_MUL_OUTPUT_ZERO_POINT = const(14)
_MUL_PER_CHANNEL = const(17)
_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_LOOKUP = const(4)
_ADD_TABLE_OUTPUT_ZERO_POINT = const(7)
_OFFSET1 = const(12)
_OFFSET2 = const(13)
_SIZE = const(12)

_RECIPROCALS = 128  # words of the table of DIV


def _add(r):
    binary(r, 1, 1, 18, True)
    r.requantize(_ADD_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_ADD_PER_CHANNEL])


def _mul(r):
    binary(r, 1, 1, 14)
    r.requantize(_MUL_OUTPUT_ZERO_POINT, 1)
    r.need(not r[_MUL_PER_CHANNEL])


def _add_table(r):
    r.reads(_INPUT1, r.units)
    r.reads(_INPUT2, r.units)
    r.writes(_OUTPUT, r.units)
    r.reads(_LOOKUP, 1024, align=4)
    r.requantize(_ADD_TABLE_OUTPUT_ZERO_POINT, 1)


# The divisor less its offset, 8 bits, selects an entry of the table.
def _div(r):
    binary(r, 1, 1, 19 + _RECIPROCALS)
    r.is_offset(_OFFSET1)
    r.is_offset(_OFFSET2)


# alpha is int8 for every type of input.
def _prelu(r):
    size = r[_SIZE]
    r.need(size in (1, 2))
    binary(r, (size, 1), size, 20)


def _squared_difference(r):
    size = r[_SIZE]
    r.need(size in (1, 2))
    binary(r, size, size, 23, True)


CHECKS = {
    "add.eval_int8": _add,
    "add_int16.eval_int16": lambda r: binary(r, 2, 2, 23),
    "add_table.eval_int8": _add_table,
    "comparisons.eval_bytes": lambda r: binary(r, 1, 1, 14 + 128),
    "div.eval_int8": _div,
    "maximum_minimum.eval_int8": lambda r: binary(r, 1, 1, 13),
    "mul.eval_int8": _mul,
    "mul_int16.eval_int16": lambda r: binary(r, 2, 2, 17),
    "prelu.eval_integers": _prelu,
    "squared_difference.eval_integers": _squared_difference,
}
