# tflm: PAD, PADV2: Prepare (TFLM pad.cc, pad_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import check, check_dtype, check_outputs, support
from .strided import check_same_dtype, constant_indices, element_bytes

# Sizes in bytes. A table follows, three words for each dimension around the rows, the innermost
# first: output size, input size, padding before.
PAD = ("input", "output", "value", "value_size", "before", "inside", "after", "dimensions")

_QUANTIZED = (dtypes.INT8, dtypes.UINT8)


# The output of PAD, PADV2 and MIRROR_PAD: elements before and after each dimension.
def padded_shape(node):
    source = node.input(0)
    paddings = constant_indices(node, node.input(1), "the paddings")
    rank = len(source.shape)
    check(len(paddings) == 2 * rank, node, "it has %d paddings for %s" % (len(paddings), source))
    check(min(paddings + [0]) == 0, node, "a padding is negative")
    return [[paddings[2 * i] + source.shape[i] + paddings[2 * i + 1] for i in range(rank)]]


output_shapes = padded_shape


# One record: each row of the output is padding, or padding, elements and padding.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    size = element_bytes(node, source)
    support(size in (1, 2, 4), node, "type %s" % dtypes.name(source.dtype))
    check_outputs(node, output_shapes(node))
    paddings = constant_indices(node, node.input(1), "the paddings")
    if target.elements() == 0:
        return
    value = _value(context, node, target)
    dimensions = collapsed(source.shape, paddings)
    before, inside, after = dimensions.pop()
    rows = 1
    table = b""
    for left, middle, right in reversed(dimensions):
        rows *= left + middle + right
        table += struct.pack("<III", left + middle + right, middle, left)
    context.emit(
        "pad.eval",
        PAD,
        rows,
        target.nbytes() + 8 * rows,
        table=table,
        input=source if source.elements() else None,
        output=target,
        value=value,
        value_size=size,
        before=before * size,
        inside=inside * size,
        after=after * size,
        dimensions=len(dimensions),
    )


# Return the operand of the value: a tensor, or zero, which for int8 is the output's zero point.
def _value(context, node, target):
    given = node.optional_input(2)
    if given is None:
        return context.constant(bytes([zero_byte(node, target)]) * 4)
    check_dtype(node, given, target.dtype)
    check(given.elements() == 1, node, "%s should have one element" % given)
    if target.dtype in _QUANTIZED:
        same = given.scale_bits() == target.scale_bits()
        same = same and given.zero_point() == target.zero_point()
        check(same, node, "%s should have the quantization of %s" % (given, target))
    return given


# Return the byte of a zero, which all bytes of an element have.
def zero_byte(node, target):
    byte = target.zero_point() if target.dtype in _QUANTIZED else 0
    check(-128 <= byte <= 255, node, "%s has a zero point outside its type" % target)
    return byte & 0xFF


# Return (before, elements, after) of each dimension. A dimension without padding is joined with
# the one around it, whose numbers are multiplied by its size.
def collapsed(shape, paddings):
    dimensions = []
    for i in range(len(shape)):
        left, middle, right = paddings[2 * i], shape[i], paddings[2 * i + 1]
        if left or right or not dimensions:
            dimensions.append((left, middle, right))
        else:
            dimensions[-1] = tuple([n * middle for n in dimensions[-1]])
        if dimensions == [(0, 1, 0)]:
            dimensions = []
    return dimensions or [(0, 1, 0)]
