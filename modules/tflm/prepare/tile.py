# tflm: TILE: Prepare (not in TFLM; LiteRT tile.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs
from .strided import check_same_dtype, constant_indices, emit_copy, strides_of


def output_shapes(node):
    source = node.input(0)
    multiples = constant_indices(node, node.input(1), "the multiples")
    count = len(multiples)
    check(count == len(source.shape), node, "it has %d multiples for %s" % (count, source))
    check(min(multiples, default=0) >= 0, node, "a multiple is negative")
    return [[d * n for d, n in zip(source.shape, multiples)]]


# One copy: each dimension has a loop over its repetitions, in which the input does not advance.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    check_outputs(node, output_shapes(node))
    rank = len(source.shape)
    multiples = constant_indices(node, node.input(1), "the multiples")
    strides, steps = strides_of(source.shape), strides_of(target.shape)
    loops = []
    for i in range(rank):
        loops.append((multiples[i], 0, source.shape[i] * steps[i]))
        loops.append((source.shape[i], strides[i], steps[i]))
    emit_copy(context, node, source, target, loops)
