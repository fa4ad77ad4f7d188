# tflm: extents: operators on two inputs, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

from .broadcast import binary

_RECIPROCALS = 128  # words of the table of DIV


def _add(r):
    binary(r, 1, 1, 18, True)
    r.requantize(18, 1)
    r.need(not r[21])


def _mul(r):
    binary(r, 1, 1, 14, True)
    r.requantize(14, 1)
    r.need(not r[17])


# The scratch buffer holds addresses while the assembler kernel runs.
def _add_table(r):
    r.reads(1, r.units)
    r.reads(2, r.units)
    r.writes(3, r.units)
    r.reads(4, 1024, align=4)
    r.writes(5, 256, align=4)
    r.apart(3, 5)
    r.requantize(7, 1)


# The divisor chooses an entry of the table: less its offset it has 8 bits.
def _div(r):
    binary(r, 1, 1, 19 + _RECIPROCALS)
    r.is_offset(12)
    r.is_offset(13)


# alpha is int8, whatever the input is.
def _prelu(r):
    size = r[12]
    r.need(size in (1, 2))
    binary(r, (size, 1), size, 20)


def _squared_difference(r):
    size = r[12]
    r.need(size in (1, 2))
    binary(r, size, size, 23, True)


CHECKS = {
    "add.eval_int8": _add,
    "add_int16.eval_int16": lambda r: binary(r, 2, 2, 23, True),
    "add_table.eval_int8": _add_table,
    "comparisons.eval_bytes": lambda r: binary(r, 1, 1, 14 + 128),
    "div.eval_int8": _div,
    "maximum_minimum.eval_int8": lambda r: binary(r, 1, 1, 13),
    "mul.eval_int8": _mul,
    "mul_int16.eval_int16": lambda r: binary(r, 2, 2, 17, True),
    "prelu.eval_integers": _prelu,
    "squared_difference.eval_integers": _squared_difference,
}
