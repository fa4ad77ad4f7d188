# tflm: access checks: operators with two inputs, float32 and integers without scales
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .broadcast import binary

# Words of the records.
_KIND = const(12)  # of float32.combine() or float32_select.compare()
_KINDS = const(4)
_MODULO = const(12)
_SIZE = const(12)
_DIVIDED_SIZE = const(13)


# Word 12 is an argument of a function, which packs it into a word with the number of elements.
def _kind(r, output, words):
    binary(r, 4, output, words)
    r.need(r[_KIND] < _KINDS)


def _floor_div(r):
    binary(r, 4, 4, 13)
    r.need(r[_MODULO] <= 1)


def _floor_div_integers(r):
    r.need(r[_MODULO] <= 1 and r[_DIVIDED_SIZE] in (1, 2, 4))
    binary(r, r[_DIVIDED_SIZE], r[_DIVIDED_SIZE], 14)


def _compare_integers(r):
    size = r[_SIZE]
    r.need(size in (2, 4, 8))
    binary(r, size, 1, 14)


def _bitwise(r):
    size = r[_SIZE]
    r.need(size in (1, 2, 4))
    binary(r, size, size, 13)


CHECKS = {
    "add_int32.eval_int32": lambda r: binary(r, 4, 4, 15),
    "arithmetic_float.eval_float32": lambda r: _kind(r, 4, 15),
    "atan2_float.eval_float32": lambda r: binary(r, 4, 4, 12),
    "bitwise_xor.eval_integers": _bitwise,
    "comparisons_float.eval_float32": lambda r: _kind(r, 1, 13),
    "comparisons_wide.eval_integers": _compare_integers,
    "div_float.eval_float32": lambda r: binary(r, 4, 4, 14),
    "div_int32.eval_int32": lambda r: binary(r, 4, 4, 14),
    "floor_div_float.eval_float32": _floor_div,
    "floor_div_wide.eval_integers": _floor_div_integers,
    "floor_mod_int64.eval_int64": lambda r: binary(r, 8, 8, 12),
    "maximum_minimum_float.eval_float32": lambda r: binary(r, 4, 4, 13),
    "maximum_minimum_wide.eval_int16": lambda r: binary(r, 2, 2, 13),
    "maximum_minimum_wide.eval_int32": lambda r: binary(r, 4, 4, 13),
    "maximum_minimum_wide.eval_int64": lambda r: binary(r, 8, 8, 13),
    "mul_int32.eval_int32": lambda r: binary(r, 4, 4, 14),
    "pow_float.eval_float32": lambda r: binary(r, 4, 4, 12),
    "pow_int32.eval_int32": lambda r: binary(r, 4, 4, 12),
    "prelu_float.eval_float32": lambda r: binary(r, 4, 4, 12),
    "squared_difference_float.eval_float32": lambda r: binary(r, 4, 4, 12),
    "squared_difference_int32.eval_int32": lambda r: binary(r, 4, 4, 12),
}
