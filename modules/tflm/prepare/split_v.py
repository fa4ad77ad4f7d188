# tflm: SPLIT_V: Prepare (TFLM split_v.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs, constant_ints
from .split import axis_of, emit_split, with_side


# An input gives the sizes along the axis; one of them may be -1 and is computed from the others.
# If they are not constant, the outputs' own sizes count, as in TFLM.
def output_shapes(node):
    source, axis = _source(node)
    return [with_side(source.shape, axis, size) for size in _sizes(node, source, axis)]


def prepare(context, node):
    source, axis = _source(node)
    own, sizes = _own_sizes(node, source, axis), _sizes(node, source, axis)
    check(own == sizes, node, "its outputs have sizes %s instead of %s" % (own, sizes))
    check_outputs(node, output_shapes(node))
    emit_split(context, node, source, axis)


# Return the tensor that is split, and the axis.
def _source(node):
    check(len(node.inputs) == 3, node, "it has %d inputs" % len(node.inputs))
    return node.input(0), axis_of(node, node.input(2), node.input(0))


def _sizes(node, source, axis):
    if not node.input(1).is_constant():
        return _own_sizes(node, source, axis)
    sizes, length = constant_ints(node, node.input(1), "the sizes"), source.shape[axis]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = length - sum(sizes) - 1
    inside = min(sizes, default=0) >= 0 and sum(sizes) == length
    check(inside, node, "sizes %s are not the %d along axis %d" % (sizes, length, axis))
    return sizes


# Return the sizes of the outputs in the file.
def _own_sizes(node, source, axis):
    sizes, length = [], source.shape[axis]
    for i in range(len(node.outputs)):
        shape = node.output(i).shape
        check(len(shape) == len(source.shape), node, "%s has the wrong rank" % node.output(i))
        sizes.append(shape[axis])
    check(
        sum(sizes) == length,
        node,
        "its outputs are %s of the %d along axis %d" % (sizes, length, axis),
    )
    return sizes
