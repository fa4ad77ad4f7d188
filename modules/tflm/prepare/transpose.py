# tflm: TRANSPOSE: Prepare (TFLM transpose.cc, transpose_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check
from .strided import check_shape, constant_indices, emit_copy, strides_of


# Axis `i` of the output is axis `order[i]` of the input.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    rank = len(source.shape)
    order = constant_indices(node, node.input(1), "the permutation")
    check(sorted(order) == list(range(rank)), node, "%s is no permutation" % order)
    shape = [source.shape[axis] for axis in order]
    check_shape(node, target, shape)
    strides, steps = strides_of(source.shape), strides_of(shape)
    loops = [(shape[i], strides[order[i]], steps[i]) for i in range(rank)]
    emit_copy(context, node, source, target, loops)
