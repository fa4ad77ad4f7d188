# tflm: EXPAND_DIMS: Prepare: copies the bytes to a shape with a new 1 (TFLM expand_dims.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs, constant_ints, positive_axis
from .reshape import emit_reshape


# The shape of the input with the new dimension.
def output_shapes(node):
    check(len(node.inputs) == 2, node, "it has %d inputs" % len(node.inputs))
    shape = node.input(0).shape
    axis = constant_ints(node, node.input(1), "the axis")
    check(len(axis) == 1, node, "it has %d axes" % len(axis))
    at = positive_axis(node, axis[0], len(shape) + 1)
    return [shape[:at] + (1,) + shape[at:]]


def prepare(context, node):
    check_outputs(node, output_shapes(node))
    emit_reshape(context, node)
