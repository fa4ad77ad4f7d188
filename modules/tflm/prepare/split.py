# tflm: SPLIT: Prepare (TFLM split.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, constant_ints, positive_axis, product
from .strided import check_same_dtype, check_shape, emit_copy


# As many equal parts as there are outputs.
def prepare(context, node):
    source = node.input(1)
    axis = axis_of(node, node.input(0), source)
    count = len(node.outputs)
    check(
        count and source.shape[axis] % count == 0,
        node,
        "%s cannot be split in %d equal parts" % (source, count),
    )
    emit_split(context, node, source, axis, [source.shape[axis] // count] * count)


# The one axis that a constant tensor names.
def axis_of(node, tensor, source):
    axis = constant_ints(node, tensor, "the axis")
    check(len(axis) == 1, node, "it has %d axes" % len(axis))
    return positive_axis(node, axis[0], len(source.shape))


# One copy for each output, which takes `sizes` of the source along the axis.
def emit_split(context, node, source, axis, sizes):
    shape = source.shape
    row = product(shape[axis:])
    place = 0
    for i in range(len(sizes)):
        target = node.output(i)
        check_same_dtype(node, source, (target,))
        check_shape(node, target, shape[:axis] + (sizes[i],) + shape[axis + 1 :])
        part = product(target.shape[axis:])
        loops = [(product(shape[:axis]), row, part), (part, 1, 1)]
        emit_copy(context, node, source, target, loops, input_offset=place)
        place += part
