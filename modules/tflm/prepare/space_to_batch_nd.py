# tflm: SPACE_TO_BATCH_ND: Prepare (TFLM space_to_batch_nd.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .batch_to_space_nd import emit_blocks, spatial
from .common import check, check_outputs
from .fill import emit_fill
from .pad import zero_byte
from .strided import check_same_dtype


# The sides divided by the blocks; each position within a block is a batch.
def output_shapes(node):
    source = node.input(0)
    blocks, paddings = spatial(node)
    shape = list(source.shape)
    for i in range(len(blocks)):
        before, after = paddings[i]
        shape[1 + i] += before + after
        check(
            shape[1 + i] % blocks[i] == 0,
            node,
            "%s with its paddings does not divide into blocks of %d" % (source, blocks[i]),
        )
        shape[1 + i] //= blocks[i]
        shape[0] *= blocks[i]
    return [shape]


# The padding is the output's zero point: TFLM pads with a number that it never sets.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_outputs(node, output_shapes(node))
    check_same_dtype(node, source, (target,))
    blocks, paddings = spatial(node)
    if target.elements() > source.elements():
        byte = zero_byte(node, target)
        emit_fill(context, node, context.constant(bytes([byte]) * 8, 8), dtypes.INT8)
    emit_blocks(context, node, source, target, blocks, paddings, True)
