# tflm: access checks: tables of 256 entries, QUANTIZE, DEQUANTIZE, and integers to integers
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_ENTRIES = const(2)
_LOOKUP_OUTPUT = const(3)
_SCALE = const(2)
_QUANTIZE_OUTPUT = const(3)
_DEQUANTIZE_OUTPUT = const(3)
_TYPE = const(4)
_RESCALE_OUTPUT = const(2)
_INPUT_TYPE = const(3)
_OUTPUT_TYPE = const(4)
_CAST_OUTPUT = const(2)
_INPUT_SIZE = const(3)
_OUTPUT_SIZE = const(4)
_SIZES = (1, 1, 2, 4)  # of the type codes in prepare/rescale.py
_INT16 = 2
_INT16_ENTRIES = 513  # of a table


# Bytes of the type whose code is word `i`; the code is at most `limit`.
def _size(r, i, limit=_INT16):
    r.need(r[i] <= limit)
    return _SIZES[r[i]]


def _lookup(r):
    r.reads(_INPUT, r.units)
    r.reads(_ENTRIES, 256)
    r.writes(_LOOKUP_OUTPUT, r.units)


def _wide_lookup(r):
    r.reads(_INPUT, r.units)
    r.reads(_ENTRIES, 512, align=2)
    r.writes(_LOOKUP_OUTPUT, 2 * r.units, align=2)


def _int16_table(r):
    r.reads(_INPUT, 2 * r.units, align=2)
    r.reads(_ENTRIES, 2 * _INT16_ENTRIES, align=2)
    r.writes(_LOOKUP_OUTPUT, 2 * r.units, align=2)


def _quantize(r):
    size = _size(r, _TYPE)
    r.need(r.words >= 6)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.reads(_SCALE, 4, align=4)
    r.writes(_QUANTIZE_OUTPUT, size * r.units, align=size)


def _dequantize(r):
    size = _size(r, _TYPE)
    r.need(r.words >= 6)
    r.reads(_INPUT, size * r.units, align=size)
    r.reads(_SCALE, 4, align=4)
    r.writes(_DEQUANTIZE_OUTPUT, 4 * r.units, align=4)


def _rescale(r):
    size, other = _size(r, _INPUT_TYPE, 3), _size(r, _OUTPUT_TYPE, 3)
    r.need(r.words >= 14)
    r.reads(_INPUT, size * r.units, align=size)
    r.writes(_RESCALE_OUTPUT, other * r.units, align=other)


def _cast(r):
    size, other = r[_INPUT_SIZE], r[_OUTPUT_SIZE]
    r.need(r.words >= 7 and size in (1, 2, 4, 8) and other in (1, 2, 4, 8))
    r.reads(_INPUT, size * r.units, align=min(size, 4))
    r.writes(_CAST_OUTPUT, other * r.units, align=min(other, 4))


def _rsqrt(r):
    r.need(r.words >= 5)
    _lookup(r)


CHECKS = {
    "cast.eval_integers": _cast,
    "int16_table.eval_int16": _int16_table,
    "lookup.eval_int16": _wide_lookup,
    "lookup.eval_int8": _lookup,
    "quantize.eval_float32": _quantize,
    "dequantize.eval_integers": _dequantize,
    "rescale.eval_integers": _rescale,
    "rsqrt.eval_int8": _rsqrt,
}
