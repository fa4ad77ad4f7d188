# tflm_tools: PartArena: plans the arena for a few operators of a model, by themselves or in bands
# MIT license; Copyright (c) 2026 the tflm authors

from ...arena.distances import Distance
from ...arena.lifetimes import BufferLifetimes
from ...arena.planner import place_buffers
from ...model.graph import root_of
from ...model.schema import BuiltinOperator

NO_LIMIT = 1 << 40  # bytes that no board has
_TRIES = 50  # random orders that are tried for a part of a model; 10 lose less than 2 %
# A plan with few tries may need this factor more than the final plan.
DRAFT_TOLERANCE = 1.02


class PartArena:
    """Plans consecutive operators of a GraphSubgraph; node_costs: a NodeCostTable."""

    def __init__(self, subgraph, node_costs):
        self._nodes, self._node_costs = subgraph.nodes, node_costs
        ends = subgraph.input_tensors(), subgraph.output_tensors()
        self._buffers = BufferLifetimes(*ends, subgraph.nodes, [], {}).buffers

    def unrelated_bytes(self, region):
        """Return the bytes of tensors that exist while a Region runs and that it does not use."""
        return self._surroundings(region.first, region.end)[2]

    def plan(self, first, end, scratch, chain=None, limit=NO_LIMIT):
        """Return (bytes of arena, is_planned) of operators first..end-1, perhaps in bands.

        scratch: [(bytes, nodes that use them)]. chain: their BandedChain, or None.
        is_planned: False for a lower bound, which exceeds `limit` bytes.
        """
        before, after, unrelated = self._surroundings(first, end)
        nodes = chain.nodes if chain else self._nodes[first:end]
        step_of = {id(node): step for step, node in enumerate(nodes)}
        scratch = [
            (~number, size, [step_of[id(node)] for node in users])
            for number, (size, users) in enumerate(scratch)
        ]
        distances, shared = {}, []
        for step, node in enumerate(nodes):
            if chain and node.builtin_code == BuiltinOperator.RESHAPE:  # a copy of rows
                distances[step] = [Distance(node.inputs[0], node.outputs[0], 0)]
                shared.append(node.outputs[0].nbytes())
            else:
                distances[step] = self._node_costs.distances(node)
                shared.append(self._node_costs.of(node).shared_bytes)
        lifetimes = BufferLifetimes(before, after, nodes, scratch, distances)
        lower_bound = unrelated + lifetimes.lower_bound(shared)
        if lower_bound > limit:
            return lower_bound, False
        return unrelated + place_buffers(lifetimes, _TRIES)[0], True

    # (tensors that exist before these operators, tensors that are needed after them, bytes of
    # other tensors that exist meanwhile).
    def _surroundings(self, first, end):
        own = {}  # number: root
        for node in self._nodes[first:end]:
            for tensor in node.inputs + node.outputs:
                if tensor is not None and not tensor.is_constant():
                    root = root_of(tensor)[0]
                    own[root.index] = root
        before, after, unrelated = [], [], 0
        for buffer in self._buffers:
            if buffer.last < first or buffer.first >= end:
                continue
            if buffer.key not in own:
                unrelated += buffer.size
                continue
            if buffer.first < first:
                before.append(own[buffer.key])
            if buffer.last >= end:
                after.append(own[buffer.key])
        return before, after, unrelated
