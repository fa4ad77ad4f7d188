# tflm: TILE: Prepare (not in TFLM; LiteRT tile.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check
from .strided import check_same_dtype, check_shape, constant_indices, emit_copy, strides_of


# One copy: each dimension has a loop over its repetitions, in which the input does not move on.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_same_dtype(node, source, (target,))
    rank = len(source.shape)
    multiples = constant_indices(node, node.input(1), "the multiples")
    check(len(multiples) == rank, node, "it has %d multiples for %s" % (len(multiples), source))
    check(min(multiples, default=0) >= 0, node, "a multiple is negative")
    check_shape(node, target, [d * n for d, n in zip(source.shape, multiples)])
    strides, steps = strides_of(source.shape), strides_of(target.shape)
    loops = []
    for i in range(rank):
        loops.append((multiples[i], 0, source.shape[i] * steps[i]))
        loops.append((source.shape[i], strides[i], steps[i]))
    emit_copy(context, node, source, target, loops)
