# tflm: GATHER_ND: Prepare (TFLM gather_nd.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs, product
from .gather import check_indices, emit_gather
from .strided import check_same_dtype


# The last dimension of the indices is one index; the remaining dimensions of the input are a row.
def output_shapes(node):
    source, indices = node.input(0), node.input(1)
    check(
        source.shape and indices.shape, node, "%s and %s must not be scalars" % (source, indices)
    )
    depth = indices.shape[-1]
    check(
        depth <= len(source.shape),
        node,
        "an index of %d numbers is too long for %s" % (depth, source),
    )
    return [indices.shape[:-1] + source.shape[depth:]]


def prepare(context, node):
    source, indices, target = node.input(0), node.input(1), node.output(0)
    check_same_dtype(node, source, (target,))
    check_indices(node, indices)
    check_outputs(node, output_shapes(node))
    depth = indices.shape[-1]
    count = product(indices.shape[:-1])
    emit_gather(context, node, (source, indices, target), source.shape, count, 1, depth)
