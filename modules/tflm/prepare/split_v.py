# tflm: SPLIT_V: Prepare (TFLM split_v.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, constant_ints
from .split import axis_of, emit_split


# The outputs' own shapes count, as in TFLM; constant sizes must agree, and one of them may be -1.
def prepare(context, node):
    check(len(node.inputs) == 3, node, "it has %d inputs" % len(node.inputs))
    source = node.input(0)
    axis = axis_of(node, node.input(2), source)
    sizes = []
    for i in range(len(node.outputs)):
        shape = node.output(i).shape
        check(len(shape) == len(source.shape), node, "%s has the wrong rank" % node.output(i))
        sizes.append(shape[axis])
    check(
        sum(sizes) == source.shape[axis],
        node,
        "its outputs are %s of the %d along axis %d" % (sizes, source.shape[axis], axis),
    )
    wanted = node.input(1)
    if wanted.is_constant():
        given = constant_ints(node, wanted, "the sizes")
        agrees = len(given) == len(sizes)
        for i in range(len(sizes)):
            agrees = agrees and given[i] in (sizes[i], -1)
        check(agrees, node, "its outputs have sizes %s instead of %s" % (sizes, given))
    emit_split(context, node, source, axis, sizes)
