# tflm: ONE_HOT: Prepare (not in TFLM; LiteRT one_hot.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import (
    check,
    check_dtype,
    check_outputs,
    constant_ints,
    product,
)
from .fill import emit_fill
from .strided import check_same_dtype, element_bytes

ONE_HOT = ("indices", "value", "output", "wide", "size", "depth", "inner")

_OPTIONS = const(61)  # OneHotOptions
_AXIS = const(0)


# One more dimension, the depth.
def output_shapes(node):
    shape, axis = node.input(0).shape, _axis(node)
    depth = constant_ints(node, node.input(1), "the depth")
    check(len(depth) == 1 and depth[0] >= 0, node, "%s is no depth" % node.input(1))
    return [shape[:axis] + (depth[0],) + shape[axis:]]


# Return the position of this dimension.
def _axis(node):
    rank, axis = len(node.input(0).shape), node.options(_OPTIONS).get(_AXIS, "i", 0)
    axis = rank if axis == -1 else axis
    check(0 <= axis <= rank, node, "axis %d does not exist" % axis)
    return axis


# The output is filled with the value for "off", then the other value is written at each index.
def prepare(context, node):
    indices, on, off, target = node.input(0), node.input(2), node.input(3), node.output(0)
    check_dtype(node, indices, dtypes.INT32, dtypes.INT64)
    check_same_dtype(node, target, (on, off))
    size = element_bytes(node, target)
    check(on.elements() == off.elements() == 1, node, "its values are not one number each")
    check_outputs(node, output_shapes(node))
    axis = _axis(node)
    if not target.elements():
        return
    emit_fill(context, node, off, target.dtype)
    context.emit(
        "one_hot.eval",
        ONE_HOT,
        indices.elements(),
        16 * indices.elements(),
        indices=indices,
        value=on,
        output=target,
        wide=1 if indices.dtype == dtypes.INT64 else 0,
        size=size,
        depth=target.shape[axis],
        inner=product(indices.shape[axis:]),
    )
