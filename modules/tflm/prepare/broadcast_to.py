# tflm: BROADCAST_TO: Prepare (TFLM broadcast_to.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .broadcast import broadcast_shape
from .common import check, check_outputs
from .strided import check_same_dtype, constant_indices, emit_copy, strides_of


def output_shapes(node):
    return [constant_indices(node, node.input(1), "the shape")]


# One copy; a dimension of 1 that grows has an input stride of 0.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    check_outputs(node, output_shapes(node))
    check(len(source.shape) <= len(target.shape), node, "%s has too many dimensions" % source)
    emit_broadcast_copy(context, node, source, target)


# Copy a tensor to a tensor that it broadcasts to; surplus leading ones are ignored.
def emit_broadcast_copy(context, node, source, target):
    shape = source.shape
    while len(shape) > len(target.shape) and shape[0] == 1:
        shape = shape[1:]
    check(
        broadcast_shape([shape, target.shape]) == target.shape,
        node,
        "%s does not spread to %s" % (source, target),
    )
    strides, steps = strides_of(shape), strides_of(target.shape)
    loops = [(target.shape[i], 0, steps[i]) for i in range(len(steps))]
    first = len(steps) - len(strides)
    for i in range(len(strides)):
        if shape[i] != 1:
            loops[first + i] = (shape[i], strides[i], steps[first + i])
    emit_copy(context, node, source, target, loops)
