# tflm_tools: computes and pools some channels of the last convolution after the others
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

from tflm.tflite.graph import Tensor

from ....bands.channel_groups import (
    CHANNEL_ALIGNMENT,
    MAX_GROUPS,
    ChannelGroup,
    can_be_cut,
    with_tensors,
)
from ....bands.operators.pool_rows import CODES as POOLS
from ....bands.operators.pool_rows import pool_reduction_of
from ....model.graph import copy_quantization
from ....model.schema import BuiltinOperator


class PooledGroups:
    """A CONV_2D and the pool over all its pixels, in `count` groups of channels.

    The last convolution of a classifier has a thousand channels or more, and the pool keeps one
    number of each. They need not exist all at once: some channels are computed and pooled, then
    the next ones.

    graph: a Graph with the groups. first, reader: positions of the convolution and the pool in the
    Graph without the groups. copies: the nodes of the groups. dropped: the two nodes that they
    replace.
    """

    def __init__(self, graph, first, count):
        self.first, self.reader = first, first + 1
        self.dropped = conv, pool = graph.running()[0].nodes[first : first + 2]
        channels = pool.outputs[0].shape[-1]
        self._tensors, self.copies = [], []

        def make_tensor(name, dtype, shape, like):
            tensor = Tensor(graph.next_tensor(), name, dtype, tuple(shape))
            self._tensors.append(tensor)
            return tensor

        for start in range(0, channels, channels // count):
            group = ChannelGroup(start, channels // count, make_tensor)
            group_conv = group.operator(conv, conv.inputs[0], 0)
            target = pool.outputs[0]
            shape = (*target.shape[:-1], group.count)
            pooled = make_tensor(target.name, target.dtype, shape, target)
            if target.is_quantized:
                copy_quantization(target, pooled)
            pooled.view_of = target, start
            inputs = [group_conv.outputs[0], *pool.inputs[1:]]
            self.copies += [group_conv, with_tensors(pool, inputs, [pooled])]
        self.graph = graph.sharing()
        self.apply(self.graph.running()[0])

    def apply(self, subgraph):
        """Replace the two nodes of a GraphSubgraph by the groups, perhaps after other rewrites."""
        at = next(i for i, node in enumerate(subgraph.nodes) if node is self.dropped[0])
        subgraph.nodes = subgraph.nodes[:at] + self.copies + subgraph.nodes[at + 2 :]
        for tensor in self._tensors:
            subgraph.add_tensor(tensor)


def pooled_groups(graph):
    """Return the PooledGroups of a Graph that may pay."""
    subgraph, found = graph.running()[0], []
    nodes = subgraph.nodes
    for position, (conv, pool) in enumerate(pairwise(nodes)):
        if not _can_be_grouped(conv, pool):
            continue
        between = conv.outputs[0]
        readers = [node for node in nodes if between in node.inputs]
        if readers == [pool] and _is_private(subgraph, between):
            counts = _group_counts(between.shape[-1])
            found += [PooledGroups(graph, position, count) for count in counts]
    return found


# True for an int8 convolution and a pool that keeps one number of each of its channels.
def _can_be_grouped(conv, pool):
    if conv.builtin_code != BuiltinOperator.CONV_2D or pool.builtin_code not in POOLS:
        return False
    source, between = conv.inputs[0], conv.outputs[0]
    if pool.inputs[0] is not between:
        return False
    if conv.inputs[1].shape[3] != source.shape[3] or pool_reduction_of(pool) is None:
        return False
    return can_be_cut(conv, 0, between.shape[3]) and pool.outputs[0].dtype == between.dtype


# True for a tensor with separate bytes that only operators use.
def _is_private(subgraph, tensor):
    used = {t.view_of[0] for t in subgraph.tensors.values() if t.view_of is not None}
    used.update(subgraph.output_tensors())
    return tensor.view_of is None and tensor not in used


# Into how many groups channels are cut: powers of two, or the next larger divisors.
def _group_counts(channels):
    divisors = range(2, 2 * MAX_GROUPS)
    possible = [count for count in divisors if channels % (count * CHANNEL_ALIGNMENT) == 0]
    powers = (1 << k for k in range(1, MAX_GROUPS.bit_length()))
    return sorted({next((k for k in possible if k >= power), 0) for power in powers} - {0})
