# tflm: SPLIT: Prepare (TFLM split.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs, constant_ints, positive_axis, product
from .strided import check_same_dtype, emit_copy


# As many equal parts as there are outputs.
def output_shapes(node):
    source, count = node.input(1), len(node.outputs)
    axis = axis_of(node, node.input(0), source)
    check(
        count and source.shape[axis] % count == 0,
        node,
        "%s cannot be split in %d equal parts" % (source, count),
    )
    return [with_side(source.shape, axis, source.shape[axis] // count)] * count


# Return a shape with another length along an axis.
def with_side(shape, axis, length):
    return shape[:axis] + (length,) + shape[axis + 1 :]


def prepare(context, node):
    source = node.input(1)
    axis = axis_of(node, node.input(0), source)
    check_outputs(node, output_shapes(node))
    emit_split(context, node, source, axis)


# Return the one axis in a constant tensor.
def axis_of(node, tensor, source):
    axis = constant_ints(node, tensor, "the axis")
    check(len(axis) == 1, node, "it has %d axes" % len(axis))
    return positive_axis(node, axis[0], len(source.shape))


# Emit one copy for each output; their shapes are checked.
def emit_split(context, node, source, axis):
    shape = source.shape
    row = product(shape[axis:])
    offset = 0
    for i in range(len(node.outputs)):
        target = node.output(i)
        check_same_dtype(node, source, (target,))
        run = product(target.shape[axis:])
        loops = [(product(shape[:axis]), row, run), (run, 1, 1)]
        emit_copy(context, node, source, target, loops, input_offset=offset)
        offset += run
