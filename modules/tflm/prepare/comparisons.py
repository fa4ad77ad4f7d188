# tflm: EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL: Prepare (TFLM comparisons.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import check, check_dtype, check_quantized, scale_of, support
from .fixed_point import multiply_by_quantized_multiplier

# A table follows: the interval of each byte of input 1.
BYTES = BROADCAST + ("flip", "outside")
WIDE = BROADCAST + ("size", "answers")
FLOAT = BROADCAST + ("kind",)

# Outcomes.
_BELOW, _SAME, _ABOVE = 1, 2, 4

_LESS = const(58)
_GREATER = const(61)
_GREATER_EQUAL = const(62)
_LESS_EQUAL = const(63)
_EQUAL = const(71)
_NOT_EQUAL = const(72)

# {builtin code: outcomes for which the answer is true}
_ANSWERS = {
    _LESS: _BELOW,
    _GREATER: _ABOVE,
    _GREATER_EQUAL: _ABOVE | _SAME,
    _LESS_EQUAL: _BELOW | _SAME,
    _EQUAL: _SAME,
    _NOT_EQUAL: _BELOW | _ABOVE,
}
# Outcomes of kernels/float32_select.py; other outcomes are these with the inputs swapped.
_KINDS = {_SAME: 0, _BELOW | _ABOVE: 1, _BELOW: 2, _BELOW | _SAME: 3}
_SWAPPED = {_ABOVE: _BELOW, _ABOVE | _SAME: _BELOW | _SAME}

_LEFT_SHIFT = 8
_BYTE_WORK = 5  # of an element, in multiply-accumulates
_WIDE_WORK = 8
_FLOAT_WORK = 10

output_shapes = spread_shape


# TFLM compares int16 for GREATER only, and uses numbers that it never sets. Here all six operators
# compare int16 of one quantization.
def prepare(context, node):
    first, second = node.input(0), node.input(1)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    answers = _ANSWERS[node.builtin_code]
    allowed = [dtypes.FLOAT32, dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64]
    if answers in (_SAME, _BELOW | _ABOVE):
        allowed.append(dtypes.BOOL)
    check_dtype(node, first, *allowed)
    check_dtype(node, second, first.dtype)
    check_dtype(node, node.output(0), dtypes.BOOL)
    if first.dtype == dtypes.FLOAT32:
        _emit_float(context, node, (first, second), answers)
    elif first.dtype == dtypes.BOOL:
        emit_intervals(context, node, bytes(range(256)), bytes(range(256)), answers)
    elif first.dtype == dtypes.INT8:
        emit_intervals(context, node, _rescaled(node, first), _rescaled(node, second), answers)
    else:
        _emit_wide(context, node, (first, second), answers)


# Return the numbers as which int8 -128 .. 127 are compared: TFLM multiplies them by their scale
# with 8 more bits in fixed point, so that neighbours may become equal. A scale of 1 or more stops
# TFLM.
def _rescaled(node, tensor):
    check_quantized(node, tensor)
    multiplier, shift = scale.quantize_multiplier(scale_of(tensor))
    zero_point = tensor.zero_point()
    return [
        multiply_by_quantized_multiplier((x - zero_point) << _LEFT_SHIFT, multiplier, shift)
        for x in range(-128, 128)
    ]


# Write the record of a comparison of bytes. `firsts` and `seconds`, both in ascending order, are
# the numbers that the bytes of the inputs stand for, in the order of their values. For each first
# there is one interval of seconds for which the answer is true; for NOT_EQUAL the answer is false
# in it.
def emit_intervals(context, node, firsts, seconds, answers):
    outside = 1 if answers == _BELOW | _ABOVE else 0
    if outside:
        answers = _SAME
    flip = 0x80 if node.input(0).dtype == dtypes.INT8 else 0
    table = bytearray(512)
    below = not_above = 0  # number of seconds that are less, and less or equal
    for i in range(256):
        while below < 256 and seconds[below] < firsts[i]:
            below += 1
        while not_above < 256 and seconds[not_above] <= firsts[i]:
            not_above += 1
        # The first is more than the seconds before `below`, and less than the seconds from
        # `not_above` on.
        low = 0 if answers & _ABOVE else below if answers & _SAME else not_above
        end = 256 if answers & _BELOW else not_above if answers & _SAME else below
        if low >= end:
            low, end = 255, 1
        table[2 * (i ^ flip)] = low
        table[2 * (i ^ flip) + 1] = end - 1
    emit_byte_table(context, node, table, flip, outside)


# Write the record for a table with an entry for each byte of input 1: the lowest and the highest
# byte of input 2, both flipped by `flip`, for which the answer is not `outside`.
def emit_byte_table(context, node, table, flip, outside):
    emit_broadcast(
        context,
        node,
        "comparisons.eval_bytes",
        BYTES,
        (node.input(0), node.input(1)),
        _BYTE_WORK,
        table=bytes(table),
        flip=flip,
        outside=outside,
    )


# Write the record of a comparison of stored numbers.
def _emit_wide(context, node, inputs, answers):
    same = inputs[0].scale_bits() == inputs[1].scale_bits()
    same = same and inputs[0].zero_point() == inputs[1].zero_point()
    if inputs[0].dtype == dtypes.INT16:
        support(same, node, "int16 of different scales")
    emit_broadcast(
        context,
        node,
        "comparisons_wide.eval_integers",
        WIDE,
        inputs,
        _WIDE_WORK,
        size=dtypes.itemsize(inputs[0].dtype),
        answers=answers,
    )


def _emit_float(context, node, inputs, answers):
    if answers in _SWAPPED:
        answers = _SWAPPED[answers]
        inputs = inputs[1], inputs[0]
    emit_broadcast(
        context,
        node,
        "comparisons_float.eval_float32",
        FLOAT,
        inputs,
        _FLOAT_WORK,
        kind=_KINDS[answers],
    )
