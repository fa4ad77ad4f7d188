# tflm: int16 operators that LiteRT computes in float32 for 513 values: GELU, EXP, LOG, RSQRT; NEG
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from . import scale
from .common import check, scale_of
from .float_table import limited_exp, logarithm
from .lookup import LOOKUP

_STEPS = 512  # intervals of the table


# Write the record for kernels/int16_table.py. `function` maps a number of scale.py to a number;
# its result and all other steps are rounded to float32 (LUTPopulateInt16 in LiteRT's common.h).
# Between two entries the kernel interpolates. An entry is lowered by half of the error in the
# middle of its interval.
def emit_int16_table(context, node, function):
    source, target = node.input(0), node.output(0)
    lowest, highest = _range(source)
    width = _minus(highest, lowest)
    step = scale.divide(width, (_STEPS, 0), scale.SINGLE)
    half = step[0], step[1] - 1
    low, high = _range(target)
    inverse = scale.divide((1, 16), _minus(high, low), scale.SINGLE)

    # The function at a point, in steps of the output.
    def scaled(point):
        return _times(scale.rounded(function(point), scale.SINGLE), inverse)

    entries = []
    point = _plus(lowest, _times((0, 0), step))
    value = scaled(point)
    for i in range(_STEPS):
        following = _plus(lowest, _times((i + 1, 0), step))
        following_value = scaled(following)
        entry = scale.to_int(value)
        middle = scale.to_int(_half(_plus(following_value, (entry, 0))))
        error = middle - scale.to_int(scaled(_plus(point, half)))
        entries.append(_limited(entry - scale.to_int((error, -1))))
        point, value = following, following_value
    entries.append(_limited(scale.to_int(scaled(highest))))
    _emit(context, node, entries)


# NEG, which wraps around.
def emit_neg(context, node):
    entries = range(32768, -32769, -128)
    _emit(context, node, [(entry & 0xFFFF ^ 0x8000) - 0x8000 for entry in entries])


def _emit(context, node, entries):
    source = node.input(0)
    context.emit(
        "int16_table.eval_int16",
        LOOKUP,
        source.elements(),
        2 * source.elements(),
        input=source,
        entries=context.constant(struct.pack("<%dh" % len(entries), *entries), 2),
        output=node.output(0),
    )


# EXP.
def emit_exp(context, node):
    emit_int16_table(context, node, limited_exp)


# LOG. Numbers without a logarithm become the lowest value of the output.
def emit_log(context, node):
    _symmetric(node)
    lowest, _ = _range(node.output(0))
    emit_int16_table(context, node, lambda x: logarithm(x) if x[0] > 0 else lowest)


# RSQRT. Numbers without a root become the highest value of the output.
def emit_rsqrt(context, node):
    _symmetric(node)
    highest = _times(scale_of(node.output(0)), (32767, 0))

    def reciprocal_root(x):
        if x[0] <= 0:
            return highest
        return scale.divide(
            (1, 0), scale.rounded(scale.square_root(x), scale.SINGLE), scale.SINGLE
        )

    emit_int16_table(context, node, reciprocal_root)


# LiteRT refuses zero points here.
def _symmetric(node):
    for tensor in (node.input(0), node.output(0)):
        check(not tensor.zero_point(), node, "%s has a zero point" % tensor)


# The real numbers of the lowest and the highest value of a tensor.
def _range(tensor):
    zero_point = tensor.zero_point()
    return [_times(scale_of(tensor), (n - zero_point, 0)) for n in (-32768, 32767)]


def _times(a, b):
    return scale.multiply(a, b, scale.SINGLE)


def _plus(a, b):
    return scale.add(a, b, scale.SINGLE)


def _minus(a, b):
    return _plus(a, (0 - b[0], b[1]))


def _half(a):
    return a[0], a[1] - 1


def _limited(value):
    return min(max(value, -32768), 32767)
