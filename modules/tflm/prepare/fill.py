# tflm: FILL, ZEROS_LIKE: Prepare (TFLM fill.cc, zeros_like.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from .common import check, check_dtype, check_outputs, support
from .strided import check_same_dtype, element_bytes

FILL = ("value", "output", "size")

_ZEROS_LIKE = const(93)


def output_shapes(node):
    if node.builtin_code == _ZEROS_LIKE:
        return [node.input(0).shape]
    return [constant_shape(node, node.input(0))]


# ZEROS_LIKE writes the number 0 for any zero point, as TFLM does.
def prepare(context, node):
    target = node.output(0)
    if node.builtin_code == _ZEROS_LIKE:
        check_same_dtype(node, node.input(0), (target,))
        check_outputs(node, output_shapes(node))
        element_bytes(node, target)
        emit_fill(context, node, context.constant(bytes(8), 8), dtypes.INT8)
        return
    value = node.input(1)
    check_same_dtype(node, value, (target,))
    element_bytes(node, target)
    check(value.shape == (), node, "%s should be a scalar" % value)
    check_outputs(node, output_shapes(node))
    emit_fill(context, node, value, target.dtype)


# Return the shape in a constant of any integer type.
def constant_shape(node, tensor):
    check_dtype(node, tensor, dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64)
    if not tensor.elements():
        return ()
    support(tensor.is_constant(), node, "a shape that is not constant (%s)" % tensor)
    kinds = dtypes.typecode(tensor.dtype) * tensor.elements()
    return struct.unpack("<" + kinds, bytes(tensor.data))


# Write the record that fills output 0, of any type, with a value of type `dtype`.
def emit_fill(context, node, value, dtype):
    size = dtypes.itemsize(dtype)
    units = node.output(0).nbytes() // size
    context.emit(
        "fill.eval",
        FILL,
        units,
        units * size // 4,
        value=value,
        output=node.output(0),
        size=size,
    )
