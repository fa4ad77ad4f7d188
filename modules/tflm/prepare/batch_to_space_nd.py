# tflm: BATCH_TO_SPACE_ND: Prepare (TFLM batch_to_space_nd.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .common import check, check_outputs, constant_ints, product
from .strided import check_same_dtype, emit_copy, strides_of


# The blocks joined, without the crops.
def output_shapes(node):
    source = node.input(0)
    blocks, crops = spatial(node)
    shape = list(source.shape)
    size = product(blocks)
    check(shape[0] % size == 0, node, "%s has no batches for blocks of %s" % (source, blocks))
    shape[0] //= size
    for i in range(len(blocks)):
        shape[1 + i] = shape[1 + i] * blocks[i] - crops[i][0] - crops[i][1]
        check(shape[1 + i] >= 0, node, "the crops are larger than %s" % source)
    return [shape]


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_outputs(node, output_shapes(node))
    check_same_dtype(node, source, (target,))
    blocks, crops = spatial(node)
    emit_blocks(context, node, source, target, blocks, crops, False)


# Return the block sizes and (before, after) of each spatial dimension; these follow the batch.
def spatial(node):
    check(len(node.inputs) == 3, node, "it must have 3 inputs")
    source = node.input(0)
    blocks = constant_ints(node, node.input(1), "the block shape")
    edges = constant_ints(node, node.input(2), "paddings and crops")
    count = len(blocks)
    check(
        0 < count < len(source.shape) and len(edges) == 2 * count,
        node,
        "%d blocks and %d edges do not fit %s" % (count, len(edges), source),
    )
    check(min(blocks) > 0, node, "a block is smaller than 1")
    check(min(edges) >= 0, node, "a padding or crop is negative")
    return blocks, [(edges[2 * i], edges[2 * i + 1]) for i in range(count)]


# Copy between space and batch. Each position within a block is a separate batch. If an edge cuts
# blocks, there is a copy for each part: at most three in a dimension.
def emit_blocks(context, node, source, target, blocks, edges, to_batch):
    space, batch = (source, target) if to_batch else (target, source)
    rank, count = len(space.shape), len(blocks)
    space_strides, batch_strides = strides_of(space.shape), strides_of(batch.shape)
    # Loops and offsets (space, batch) of each copy so far; first without the blocks.
    loops = [(space.shape[0], space_strides[0], batch_strides[0])]
    for i in range(1 + count, rank):
        loops.append((space.shape[i], space_strides[i], batch_strides[i]))
    copies = [(loops, 0, 0)]
    shift_stride = space.shape[0] * batch_strides[0]
    for i in reversed(range(count)):
        block, before = blocks[i], edges[i][0]
        to, along = space_strides[1 + i], batch_strides[1 + i]
        longer = []
        for shift, shifts, first, turns in position_groups(block, before, space.shape[1 + i]):
            extra = [(shifts, to, shift_stride), (turns, block * to, along)]
            index = (first * block + shift - before) * to
            for loops, a, b in copies:
                b += shift * shift_stride + first * along
                longer.append((loops + extra, a + index, b))
        copies = longer
        shift_stride *= block
    for loops, a, b in copies:
        if not to_batch:
            loops = [(n, batch_stride, stride) for n, stride, batch_stride in loops]
            a, b = b, a
        emit_copy(context, node, source, target, loops, a, b)


# Return the positions within a block in groups that see the same blocks: (first position, number
# of positions, first block, number of blocks). Position `shift` of block `i` is index i * block +
# shift - before. The first block depends on whether the edge before cuts a block, the last block
# on the edge after.
def position_groups(block, before, size):
    cuts = sorted({0, before % block, (before + size) % block, block})
    groups = []
    for shift, end in zip(cuts, cuts[1:]):
        first = max(0, (before - shift + block - 1) // block)
        turns = (before + size - 1 - shift) // block + 1 - first
        if turns > 0:
            groups.append((shift, end - shift, first, turns))
    return groups
