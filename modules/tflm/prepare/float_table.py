# tflm: int8 operators that LiteRT computes in float32 for each value: GELU, EXP, LOG
# MIT license; Copyright (c) 2026 the tflm authors

from . import scale
from .common import scale_of
from .exponential import BITS, LN_2, exp
from .lookup import emit_lookup


# Write the record of a table. `function` maps a number of scale.py to a number, with few or no
# errors. Every step is rounded to float32 (LUTPopulate in LiteRT's lut.h).
def emit_float_table(context, node, function):
    source, target = node.input(0), node.output(0)
    zero_in, zero_out = source.zero_point(), target.zero_point()
    inverse = scale.divide((1, 0), scale_of(target), scale.SINGLE)

    def entry(x):
        number = scale.multiply(scale_of(source), scale.from_int(x - zero_in), scale.SINGLE)
        y = scale.rounded(function(number), scale.SINGLE)
        y = scale.to_int(scale.multiply(y, inverse, scale.SINGLE))
        return min(max(y + zero_out, -128), 127)

    emit_lookup(context, node, entry)


# EXP.
def emit_exp(context, node):
    emit_float_table(context, node, limited_exp)


# Return exp(number), which saturates early, because large numbers would only become long.
def limited_exp(number):
    most = scale.from_int(64)
    return exp(most if scale.less(most, number) else number)


# LOG. Numbers without a logarithm become the lowest value of the output.
def emit_log(context, node):
    target = node.output(0)
    m, e = scale_of(target)
    lowest = m * (-128 - target.zero_point()), e
    emit_float_table(context, node, lambda number: logarithm(number) if number[0] > 0 else lowest)


# Return the natural logarithm of a positive number of scale.py: for 1 <= x < 2 the series of 2 *
# atanh((x - 1) / (x + 1)), to which k * ln(2) is added.
def logarithm(number):
    m, e = number
    k = 0
    while m >> k + 1:
        k += 1
    x = m << BITS - k if k <= BITS else m >> k - BITS
    one = 1 << BITS
    z = (x - one << BITS) // (x + one)
    square = z * z >> BITS
    total, n = 0, 1
    while z:
        total += z // n
        z = z * square >> BITS
        n += 2
    return 2 * total + (k + e) * LN_2, 0 - BITS
