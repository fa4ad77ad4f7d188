# tflm: unary operators: shared checks, and int8 operators as tables of 256 entries
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import check, check_dtype, check_quantized, scale_of
from .fixed_point import multiply_by_quantized_multiplier, rounding_divide_by_pot

LOOKUP = ("input", "entries", "output")

_INTEGER_BITS = 4  # of the argument of LOGISTIC and TANH


# Check and return input and output of a unary operator: of one type out of `allowed`, with the
# same number of elements, and quantized unless they are floats.
def unary_tensors(node, *allowed):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, *allowed)
    check_dtype(node, target, source.dtype)
    check_same_elements(node, source, target)
    if source.dtype != dtypes.FLOAT32:
        check_quantized(node, source)
        check_quantized(node, target)
    return source, target


# Refuse tensors that differ in their number of elements.
def check_same_elements(node, source, target):
    check(
        source.elements() == target.elements(),
        node,
        "%s and %s differ in their number of elements" % (source, target),
    )


# Write the record for kernels/lookup.py; `function` maps each value of the input's 8-bit type to a
# value of the output's type, of 8 or 16 bits.
def emit_lookup(context, node, function):
    source = node.input(0)
    low = 0 if source.dtype == dtypes.UINT8 else -128
    size = 2 if node.output(0).dtype == dtypes.INT16 else 1
    table = bytearray(256 * size)
    for x in range(low, low + 256):
        value, at = function(x), (x & 0xFF) * size
        table[at] = value & 0xFF
        if size > 1:
            table[at + 1] = value >> 8 & 0xFF
    context.emit(
        "lookup.eval_int16" if size > 1 else "lookup.eval_int8",
        LOOKUP,
        source.elements(),
        source.elements(),
        input=source,
        entries=context.constant(table, size),
        output=node.output(0),
    )


# Write the record for a function of gemmlowp (LOGISTIC, TANH): `function(x, integer bits)` returns
# 31 fractional bits, of which the output keeps `output_bits`.
#
# Inputs are scaled to 27 fractional bits. From the radius on, where this would overflow, the
# output is the lowest or highest value (CalculateInputRadius in quantization_util.cc).
def emit_fixed_point_lookup(context, node, function, output_bits, output_zero_point):
    source = node.input(0)
    zero_point = source.zero_point()
    m, e = scale_of(source)
    multiplier, shift = scale.quantize_multiplier((m, e + 31 - _INTEGER_BITS))
    radius = ((1 << _INTEGER_BITS) - 1) << (31 - _INTEGER_BITS)
    if shift > 0:
        radius >>= shift

    def entry(x):
        x -= zero_point
        if x <= 0 - radius:
            return -128
        if x >= radius:
            return 127
        scaled = multiply_by_quantized_multiplier(x, multiplier, shift)
        y = rounding_divide_by_pot(function(scaled, _INTEGER_BITS), 31 - output_bits)
        return min(max(y + output_zero_point, -128), 127)

    emit_lookup(context, node, entry)
