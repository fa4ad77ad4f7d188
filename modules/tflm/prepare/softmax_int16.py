# tflm: SOFTMAX, int16: Prepare (TFLM softmax_common.cc, reference/softmax.h, common.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from . import scale
from .common import check_dtype, check_quantized, scale_of, support
from .exponential import exp

SOFTMAX_INT16 = ("input", "exp", "reciprocal", "output", "depth", "multiplier", "shift")

_MAX_DEPTH = 65535  # the sum of exps stays below 2**31
_RANGE = (65535, 0)
_DIFFERENCES = (10, 0)  # arguments of exp(): -10 .. 0
_STEPS = 512
_ONE = (1, 0)
_TENTH_PERCENT = scale.from_bits(0x3A83126F)
_MAX_SHIFT = 31


def prepare_int16(context, node, beta):
    source, target = node.input(0), node.output(0)
    check_dtype(node, target, dtypes.INT16)
    for tensor in (source, target):
        check_quantized(node, tensor)
        support(tensor.zero_point() == 0, node, "int16 with a zero point")
    m, e = scale_of(target)
    m, e = scale.add((m, e + 15), (-1, 0), scale.SINGLE)
    support(
        not scale.less(_TENTH_PERCENT, (abs(m), e)), node, "an output scale other than 1/32768"
    )
    depth = source.shape[-1]
    support(depth <= _MAX_DEPTH, node, "a last dimension of %d" % depth)
    support(beta[0] >= 0, node, "a negative beta")
    rescale = scale.multiply(scale_of(source), beta)
    rescale = scale.divide(rescale, scale.divide(_DIFFERENCES, _RANGE))
    multiplier, shift = scale.quantize_multiplier(rescale)
    context.emit(
        "softmax_int16.eval_int16",
        SOFTMAX_INT16,
        source.elements() // depth if depth else 0,
        source.elements() * 16,
        input=source,
        exp=context.constant(exp_table(), 2),
        reciprocal=context.constant(reciprocal_table(), 2),
        output=target,
        depth=depth,
        multiplier=multiplier,
        shift=min(shift, _MAX_SHIFT),
    )


# exp(x) for x = -10 .. 0.
def exp_table():
    step = scale.divide(_DIFFERENCES, _RANGE, scale.SINGLE)
    first = scale.multiply(step, (-65535, 0), scale.SINGLE)
    return _table(first, (0, 0), lambda x: scale.rounded(exp(x), scale.SINGLE))


# 1 / (1 + x) for x = 0 .. 1.
def reciprocal_table():
    last = scale.multiply(scale.divide(_ONE, _RANGE, scale.SINGLE), _RANGE, scale.SINGLE)

    def reciprocal(x):
        return scale.divide(_ONE, scale.add(_ONE, x, scale.SINGLE), scale.SINGLE)

    return _table((0, 0), last, reciprocal)


# Return TFLM's LUTPopulate for int16: 513 values from `first` to `last`, times 32768 or nearly.
# Each value except the last is moved by half of the interpolation's error in the middle of its
# interval. All steps are float32 arithmetic as in C++.
def _table(first, last, function):
    single = scale.SINGLE
    step = scale.multiply(_difference(last, first), (1, -9), single)
    unit = scale.divide((2, 0), _RANGE, single)
    low = scale.multiply(unit, (-32768, 0), single)
    high = scale.multiply(unit, (32767, 0), single)
    factor = scale.divide((65536, 0), _difference(high, low), single)

    def at(i):
        return scale.add(first, scale.multiply((i, 0), step, single), single)

    def value(x):
        return scale.multiply(function(x), factor, single)

    table = bytearray()
    here = value(at(0))
    for i in range(_STEPS):
        after = value(at(i + 1))
        middle = scale.to_int(value(scale.add(at(i), (step[0], step[1] - 1), single)))
        sample = scale.to_int(here)
        m, e = scale.add(after, (sample, 0), single)
        error = scale.to_int((m, e - 1)) - middle
        table += struct.pack("<h", min(sample - scale.to_int((error, -1)), 32767))
        here = after
    return table + struct.pack("<h", min(scale.to_int(value(last)), 32767))


# a - b in float32.
def _difference(a, b):
    return scale.add(a, (0 - b[0], b[1]), scale.SINGLE)
