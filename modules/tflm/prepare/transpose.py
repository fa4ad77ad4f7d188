# tflm: TRANSPOSE: Prepare (TFLM transpose.cc, transpose_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs
from .strided import constant_indices, emit_copy, strides_of


# Axis `i` of the output is axis `order[i]` of the input.
def output_shapes(node):
    shape, order = node.input(0).shape, constant_indices(node, node.input(1), "the permutation")
    check(sorted(order) == list(range(len(shape))), node, "%s is no permutation" % order)
    return [[shape[axis] for axis in order]]


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_outputs(node, output_shapes(node))
    shape, order = target.shape, constant_indices(node, node.input(1), "the permutation")
    strides, steps = strides_of(source.shape), strides_of(shape)
    loops = [(shape[i], strides[order[i]], steps[i]) for i in range(len(shape))]
    emit_copy(context, node, source, target, loops)
