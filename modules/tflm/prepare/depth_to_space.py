# tflm: DEPTH_TO_SPACE: Prepare (TFLM depth_to_space.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check
from .space_to_depth import block_loops
from .strided import check_shape, emit_copy

_OPTIONS = 94  # DepthToSpaceOptions


# One copy: blocks of channels become squares of pixels.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    block = node.options(_OPTIONS).get(0, "i")
    check(len(source.shape) == 4, node, "%s should have 4 dimensions" % source)
    check(block > 0, node, "its block size is %d" % block)
    batches, height, width, depth = source.shape
    check(
        depth % (block * block) == 0,
        node,
        "%s has no channels for blocks of %d x %d" % (source, block, block),
    )
    shape = (batches, height * block, width * block, depth // (block * block))
    check_shape(node, target, shape)
    loops = [(n, deep, wide) for n, wide, deep in block_loops(shape, block)]
    emit_copy(context, node, source, target, loops)
