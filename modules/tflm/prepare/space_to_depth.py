# tflm: SPACE_TO_DEPTH: Prepare (TFLM space_to_depth.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs
from .strided import emit_copy, strides_of

_OPTIONS = const(19)  # SpaceToDepthOptions
_BLOCK_SIZE = const(0)


# Squares of pixels become blocks of channels.
def output_shapes(node):
    source = node.input(0)
    block = node.options(_OPTIONS).get(_BLOCK_SIZE, "i")
    check(len(source.shape) == 4, node, "%s should have 4 dimensions" % source)
    check(block > 0, node, "its block size is %d" % block)
    batches, height, width, depth = source.shape
    check(
        height % block == 0 and width % block == 0,
        node,
        "%s does not divide into blocks of %d x %d" % (source, block, block),
    )
    return [(batches, height // block, width // block, depth * block * block)]


# One copy.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_outputs(node, output_shapes(node))
    block = node.options(_OPTIONS).get(_BLOCK_SIZE, "i")
    emit_copy(context, node, source, target, block_loops(source.shape, block))


# Return the loops over a picture of `shape` whose squares of block x block pixels are channels in
# another tensor: (turns, stride in the picture, stride in the other tensor).
def block_loops(shape, block):
    batches, height, width, depth = shape
    strides = strides_of(shape)
    channels = depth * block * block
    return [
        (batches, strides[0], strides[0]),
        (height // block, block * strides[1], width // block * channels),
        (width // block, block * strides[2], channels),
        (block, strides[1], block * depth),
        (block, strides[2], depth),
        (depth, 1, 1),
    ]
