# tflm: ONE_HOT: Prepare (not in TFLM; LiteRT one_hot.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, constant_ints, product
from .fill import emit_fill
from .strided import check_same_dtype, check_shape, element_bytes

ONE_HOT = ("indices", "value", "output", "wide", "size", "depth", "inner")

_OPTIONS = 61  # OneHotOptions


# The output is filled with the value for "off", then each index puts the other one in its place.
def prepare(context, node):
    indices, on, off, target = node.input(0), node.input(2), node.input(3), node.output(0)
    check_dtype(node, indices, dtypes.INT32, dtypes.INT64)
    check_same_dtype(node, target, (on, off))
    size = element_bytes(node, target)
    check(on.elements() == off.elements() == 1, node, "its values are not one number each")
    depth = constant_ints(node, node.input(1), "the depth")
    check(len(depth) == 1 and depth[0] >= 0, node, "%s is no depth" % node.input(1))
    axis = node.options(_OPTIONS).get(0, "i", 0)
    axis = len(indices.shape) if axis == -1 else axis
    check(0 <= axis <= len(indices.shape), node, "axis %d does not exist" % axis)
    check_shape(node, target, indices.shape[:axis] + (depth[0],) + indices.shape[axis:])
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
        depth=depth[0],
        inner=product(indices.shape[axis:]),
    )
