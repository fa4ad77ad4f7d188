# tflm: access checks: operators on each element of float32, and casts from and to float32
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const

# Words of the records.
_INPUT = const(1)
_OUTPUT = const(2)
_ENTRIES = const(3)
_SCRATCH = const(3)
_DIRECTION = const(3)
_QUARTERS = const(3)
_TYPE = const(3)
_SIZE = const(4)
_SIZES = (1, 1, 2, 4, 4)  # of the types of kernels/float32_convert.py
_SHARES = const(196)  # words of the table of GELU


# `words`: words of the record.
def _unary(r, words=3):
    r.need(r.words >= words)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)


# `word` is an argument of a function: a larger number would be a heap object.
def _kind(r, word):
    _unary(r)
    r.numbers(word, 1, 0)


def _complex_abs(r):
    r.need(r.words >= 6)
    r.reads(_INPUT, 8 * r.units, align=4)
    r.writes(_OUTPUT, 4 * r.units, align=4)
    r.writes(_SCRATCH, 8, align=4)


def _gelu(r):
    _unary(r)
    r.reads(_ENTRIES, 4 * _SHARES, align=4)


# Bytes of the integer type of a CAST.
def _size(r):
    (kind,) = r.numbers(_TYPE, 1, 0)
    r.need(kind < len(_SIZES) and r[_SIZE] == _SIZES[kind])
    return r[_SIZE]


def _from_integers(r):
    size = _size(r)
    r.reads(_INPUT, size * r.units, align=size)
    r.writes(_OUTPUT, 4 * r.units, align=4)


def _to_integers(r):
    size = _size(r)
    r.reads(_INPUT, 4 * r.units, align=4)
    r.writes(_OUTPUT, size * r.units, align=size)


def _from_float16(r):
    r.reads(_INPUT, 2 * r.units, align=2)
    r.writes(_OUTPUT, 4 * r.units, align=4)


CHECKS = {
    "abs_int32.eval_int32": lambda r: _unary(r, 4),
    "activations_float.eval_float32": lambda r: _unary(r, 5),
    "cast_float.eval_from_float32": _to_integers,
    "cast_float.eval_to_float32": _from_integers,
    "complex_abs_float.eval_float32": _complex_abs,
    "elu_float.eval_float32": _unary,
    "exp_float.eval_float32": _unary,
    "float16.eval_to_float32": _from_float16,
    "gelu_float.eval_float32": _gelu,
    "hard_swish_float.eval_float32": lambda r: _unary(r, 6),
    "leaky_relu_float.eval_float32": lambda r: _unary(r, 4),
    "log_float.eval_float32": _unary,
    "logistic_float.eval_float32": _unary,
    "round_float.eval_float32": lambda r: _kind(r, _DIRECTION),
    "rsqrt_float.eval_float32": lambda r: _unary(r, 4),
    "sign.eval_float32": _unary,
    "sign.eval_int32": _unary,
    "sign_float.eval_float32": lambda r: _unary(r, 5),
    "sin_cos_float.eval_float32": lambda r: _kind(r, _QUARTERS),
    "sqrt_float.eval_float32": _unary,
    "square_float.eval_float32": _unary,
    "tanh_float.eval_float32": _unary,
}
