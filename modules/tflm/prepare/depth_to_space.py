# tflm: DEPTH_TO_SPACE: Prepare (TFLM depth_to_space.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check, check_outputs
from .space_to_depth import block_loops
from .strided import emit_copy

_OPTIONS = const(94)  # DepthToSpaceOptions
_BLOCK_SIZE = const(0)


# Blocks of channels become squares of pixels.
def output_shapes(node):
    source = node.input(0)
    block = node.options(_OPTIONS).get(_BLOCK_SIZE, "i")
    check(len(source.shape) == 4, node, "%s should have 4 dimensions" % source)
    check(block > 0, node, "its block size is %d" % block)
    batches, height, width, depth = source.shape
    check(
        depth % (block * block) == 0,
        node,
        "%s has no channels for blocks of %d x %d" % (source, block, block),
    )
    return [(batches, height * block, width * block, depth // (block * block))]


# One copy.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_outputs(node, output_shapes(node))
    block = node.options(_OPTIONS).get(_BLOCK_SIZE, "i")
    loops = [(n, deep, wide) for n, wide, deep in block_loops(target.shape, block)]
    emit_copy(context, node, source, target, loops)
