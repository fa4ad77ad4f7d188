# tflm: GELU: Prepare (not in TFLM; LiteRT gelu.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import same_shape
from .exponential import exp
from .float_table import emit_float_table
from .lookup import unary_tensors
from .unary_float import UNARY, emit_unary

FLOAT = UNARY + ("entries",)

_OPTIONS = const(116)  # GeluOptions
_APPROXIMATE = const(0)
_BITS = 80  # fractional bits of the computation
_ONE = 1 << _BITS
_ROOT = 0x662114CF50D942343F2C  # 1 / sqrt(2 * pi) with these bits
_ROOT_8 = 0x19884533D436508D0FCB3  # sqrt(8 / pi)
_CUBE = 0xB727136A400FBA8826AA  # 0.044715 in units of 2**-84
_ROOT_2 = 0x16A09E667F3BCC908B2FB  # sqrt(2) with these bits
# float32 numbers of scale.py: 1 / sqrt(2), sqrt(2 / pi), 0.044715
_ROOT_HALF = (11863283, -24)
_ROOT_2_PI = (13386282, -24)
_FLOAT32_CUBE = (12003091, -28)
_STEPS = 32  # entries of the table per unit
_ENTRIES = 6 * _STEPS + 4

output_shapes = same_shape


def prepare(context, node):
    source, _ = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    is_tanh = node.options(_OPTIONS).get(_APPROXIMATE, "B")
    if source.dtype == dtypes.INT16:
        from .int16_table import emit_int16_table

        emit_int16_table(context, node, _float32_tanh if is_tanh else _float32_normal)
        return
    share = _tanh_share if is_tanh else _normal_share
    if source.dtype == dtypes.FLOAT32:
        table = [_both_sides(share, (i - 1) * _ONE // _STEPS) for i in range(_ENTRIES)]
        words = [y + (1 << _BITS - 27) >> _BITS - 26 for y in table]
        entries = context.constant(struct.pack("<%dI" % _ENTRIES, *words))
        emit_unary(context, node, "gelu_float", 4, FLOAT, entries=entries)
        return

    def gelu(number):
        m, e = number
        return m * _both_sides(share, _fixed(number)), e - _BITS

    emit_float_table(context, node, gelu)


# A number in units of 2**-_BITS.
def _fixed(number):
    m, e = number
    return m << e + _BITS if e + _BITS >= 0 else m >> 0 - e - _BITS


# GELU of a float32 with each step rounded to float32, as in LiteRT's gelu.h: 0.5 * x *
# erfc(-x / sqrt(2)). With t = x / sqrt(2), rounded, erfc(-t) is twice the share of sqrt(2) * t.
def _float32_normal(x):
    t = _fixed(_times(x, _ROOT_HALF)) * _ROOT_2 >> _BITS
    return _times(x, scale.rounded((_both_sides(_normal_share, t), 0 - _BITS), scale.SINGLE))


# 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))).
def _float32_tanh(x):
    cube = _times(_times(_times(_FLOAT32_CUBE, x), x), x)
    m, e = _plus((1, 0), _tanh(_times(_ROOT_2_PI, _plus(x, cube))))
    return _times(x, (m, e - 1))


# tanh of a float32 in the steps of the C library: 1 - 2 / (expm1(2 * x) + 2), or
# -expm1(-2 * x) / (expm1(-2 * x) + 2) below 1.
def _tanh(u):
    t = abs(_fixed(u))
    if t >= 22 * _ONE:
        tanh = 1, 0
    elif t >= _ONE:
        tanh = scale.divide((2, 0), _plus(_expm1(2 * t), (2, 0)), scale.SINGLE)
        tanh = _plus((1, 0), (0 - tanh[0], tanh[1]))
    else:
        m, e = y = _expm1(0 - 2 * t)
        tanh = scale.divide((0 - m, e), _plus(y, (2, 0)), scale.SINGLE)
    return (0 - tanh[0] if u[0] < 0 else tanh[0]), tanh[1]


# exp(t) - 1, rounded to float32.
def _expm1(t):
    y = exp((t, 0 - _BITS))
    return scale.rounded((_fixed(y) - _ONE, 0 - _BITS), scale.SINGLE)


def _plus(a, b):
    return scale.add(a, b, scale.SINGLE)


def _times(a, b):
    return scale.multiply(a, b, scale.SINGLE)


# Return the share of any number in units of 2**-_BITS: the share of -x is 1 minus the share of x.
def _both_sides(share, t):
    if abs(t) >= 16 * _ONE:
        return _ONE if t > 0 else 0
    return _ONE - share(0 - t) if t < 0 else share(t)


# The normal distribution for t >= 0: 1/2 + (t - t**3 / 6 + t**5 / 40 ...) / sqrt(2 * pi).
def _normal_share(t):
    square = t * t >> _BITS
    power, total, k, sign = t, 0, 0, 1
    while power:
        total += sign * (power // (2 * k + 1))
        k += 1
        sign = 0 - sign
        power = (power * square >> _BITS) // (2 * k)
    return min(_ONE, _ONE // 2 + (total * _ROOT >> _BITS))


# (1 + tanh(sqrt(2 / pi) * (t + 0.044715 * t**3))) / 2, which is 1 / (1 + exp(-2 ...)).
def _tanh_share(t):
    cube = (t * t >> _BITS) * t >> _BITS
    return _logistic((t + (cube * _CUBE >> 84)) * _ROOT_8 >> _BITS)


# 1 / (1 + exp(-u)) for u >= 0.
def _logistic(u):
    m, e = exp((0 - u, 0 - _BITS))
    return (_ONE << _BITS) // (_ONE + (m >> 0 - e - _BITS if e + _BITS < 0 else m << e + _BITS))
