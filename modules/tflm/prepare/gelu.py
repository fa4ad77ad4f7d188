# tflm: GELU: Prepare (not in TFLM; LiteRT gelu.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
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
_STEPS = 32  # entries of the table per unit
_ENTRIES = 6 * _STEPS + 4

output_shapes = same_shape


def prepare(context, node):
    source, _ = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8)
    share = _tanh_share if node.options(_OPTIONS).get(_APPROXIMATE, "B") else _normal_share
    if source.dtype == dtypes.FLOAT32:
        table = [_both_sides(share, (i - 1) * _ONE // _STEPS) for i in range(_ENTRIES)]
        words = [y + (1 << _BITS - 27) >> _BITS - 26 for y in table]
        entries = context.constant(struct.pack("<%dI" % _ENTRIES, *words))
        emit_unary(context, node, "gelu_float", 4, FLOAT, entries=entries)
        return

    def gelu(number):
        m, e = number
        t = m << e + _BITS if e + _BITS >= 0 else m >> 0 - e - _BITS
        return m * _both_sides(share, t), e - _BITS

    emit_float_table(context, node, gelu)


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
    u = (t + (cube * _CUBE >> 84)) * _ROOT_8 >> _BITS
    m, e = exp((0 - u, 0 - _BITS))
    return (_ONE << _BITS) // (_ONE + (m >> 0 - e - _BITS if e + _BITS < 0 else m << e + _BITS))
