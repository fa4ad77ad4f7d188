# tflm_tools: pooled groups: what a pool over all pixels takes in, some channels after the others
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import pairwise

from tflm.tflite.graph import Tensor

from ...image.pool_rows import CODES as POOLS
from ...image.pool_rows import pool_of
from ...model.graph import copy_quantization
from ...model.schema import BuiltinOperator
from .channel_groups import ALIGNED, Group, may_be_cut
from .copied import copied

_COUNTS = (2, 4, 8)  # groups, or the next larger number that may be: each has records of its own
_WORTH = 2048  # bytes of what the pool takes in, at least


class PooledGroups:
    """CONV_2D and the pool over all of its pixels, in `count` groups of channels.

    The last convolution of a classifier makes a thousand channels or more, of which the pool
    leaves a number each. They need not be there all at once: some are made and pooled, then the
    next ones.

    graph: a Graph that has it so. first: place of the convolution; reader: of the pool, both in
    the Graph without the groups. copies: the nodes of the groups; dropped: the two that they are.
    """

    def __init__(self, graph, first, count):
        self.first, self.reader = first, first + 1
        self.dropped = conv, pool = graph.running()[0].nodes[first : first + 2]
        channels = pool.outputs[0].shape[-1]
        self._tensors, self.copies = [], []

        def make(name, dtype, shape, like):
            tensor = Tensor(graph.next_tensor(), name, dtype, tuple(shape))
            self._tensors.append(tensor)
            return tensor

        for start in range(0, channels, channels // count):
            group = Group(start, channels // count, make)
            one = group.operator(conv, conv.inputs[0], 0)
            target = pool.outputs[0]
            part = make(target.name, target.dtype, (*target.shape[:-1], group.count), target)
            if target.is_quantized:
                copy_quantization(target, part)
            part.view_of = target, start
            self.copies += [one, copied(pool, [one.outputs[0], *pool.inputs[1:]], [part])]
        self.graph = graph.sharing()
        self.apply(self.graph.running()[0])

    def apply(self, subgraph):
        """Put the groups into a GraphSubgraph: the graph's own, or one with other ones already."""
        at = next(i for i, node in enumerate(subgraph.nodes) if node is self.dropped[0])
        subgraph.nodes = subgraph.nodes[:at] + self.copies + subgraph.nodes[at + 2 :]
        for tensor in self._tensors:
            subgraph.add_tensor(tensor)


def pooled_groups(graph):
    """The PooledGroups of a Graph that may pay."""
    subgraph, found = graph.running()[0], []
    nodes = subgraph.nodes
    for place, (conv, pool) in enumerate(pairwise(nodes)):
        if not _may_be_grouped(conv, pool):
            continue
        between = conv.outputs[0]
        readers = [node for node in nodes if between in node.inputs]
        if readers == [pool] and _is_own(subgraph, between):
            counts = _counts(between.shape[-1])
            found += [PooledGroups(graph, place, count) for count in counts]
    return found


# True for a convolution of int8 and what leaves a number of each of its channels.
def _may_be_grouped(conv, pool):
    if conv.builtin_code != BuiltinOperator.CONV_2D or pool.builtin_code not in POOLS:
        return False
    source, between = conv.inputs[0], conv.outputs[0]
    if pool.inputs[0] is not between or between.nbytes() < _WORTH:
        return False
    if conv.inputs[1].shape[3] != source.shape[3] or pool_of(pool) is None:
        return False
    return may_be_cut(conv, 0, between.shape[3]) and pool.outputs[0].dtype == between.dtype


# True for a tensor with bytes of its own, which only operators see.
def _is_own(subgraph, tensor):
    seen = {t.view_of[0] for t in subgraph.tensors.values() if t.view_of is not None}
    seen.update(subgraph.output_tensors())
    return tensor.view_of is None and tensor not in seen


# Into how many groups channels may go.
def _counts(channels):
    may = [k for k in range(2, 2 * max(_COUNTS)) if channels % (k * ALIGNED) == 0]
    return sorted({next((k for k in may if k >= count), 0) for count in _COUNTS} - {0})
