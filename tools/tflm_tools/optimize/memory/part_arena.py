# tflm_tools: PartArena: the arena that operators of a model need, and what is in use meanwhile
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass
from math import ceil

from ...arena.distances import Distance
from ...arena.lives import Lives
from ...arena.planner import place
from ...model.graph import root_of
from ...model.schema import BuiltinOperator

NEVER = 1 << 40  # bytes that no board has
_TRIES = 50  # random orders for a part of the model
_MORE_TRIES = 2000  # where these leave a long one a little above the limit:
_NEAR = 1.02  # at most so far,
_LONG = 8  # of so many operators or more


@dataclass
class PartFound:
    """Bytes that a part of a model needs: of a plan, or else a least value beyond the limit.

    may_need: bytes that a plan of many more tries may need, where a limit is so near; 0 for one
    that has had them, or is not worth them.
    """

    size: int
    is_planned: bool = True
    may_need: int = 0


class PartArena:
    """Plans operators of a GraphSubgraph; probe: what is known of its nodes."""

    def __init__(self, subgraph, probe):
        self._nodes, self._probe = subgraph.nodes, probe
        ends = subgraph.input_tensors(), subgraph.output_tensors()
        self._blocks = Lives(*ends, subgraph.nodes, [], {}).blocks

    def beside(self, region):
        """Bytes of tensors that are there while a Region runs, which it has nothing to do with."""
        own = {root_of(t)[0].index for n in region.nodes for t in n.inputs + n.outputs if t}
        return sum(
            block.size
            for block in self._blocks
            if block.first < region.last and block.last >= region.first and block.key not in own
        )

    def of(self, first, last, scratch, chain=None, limit=NEVER):
        """The PartFound of operators first..last-1, in bands where there is a Chain.

        scratch: [(bytes, nodes that use them)].
        """
        before, behind, beside = self._ends(first, last)
        nodes = chain.nodes if chain else self._nodes[first:last]
        steps = {id(node): step for step, node in enumerate(nodes)}
        scratch = [
            (~number, size, [steps[id(node)] for node in users])
            for number, (size, users) in enumerate(scratch)
        ]
        distances, over = {}, []
        for step, node in enumerate(nodes):
            if chain and node.builtin_code == BuiltinOperator.RESHAPE:
                distances[step] = [Distance(node.inputs[0], node.outputs[0], 0)]
                over.append(node.outputs[0].nbytes())
            else:
                distances[step] = self._probe.distances(node)
                over.append(self._probe.made(node).over)
        lives = Lives(before, behind, nodes, scratch, distances)
        least = beside + lives.least(over)
        if least > limit:
            return PartFound(least, False)
        return _planned(lives, beside, limit, last - first >= _LONG)

    # (tensors that are there before these operators, those that are needed behind them, bytes of
    # others that are in use meanwhile).
    def _ends(self, first, last):
        own = {}  # roots by their numbers
        for node in self._nodes[first:last]:
            for tensor in node.inputs + node.outputs:
                if tensor is not None and not tensor.is_constant():
                    root = root_of(tensor)[0]
                    own[root.index] = root
        before, behind, beside = [], [], 0
        for block in self._blocks:
            if block.last < first or block.first >= last:
                continue
            if block.key not in own:
                beside += block.size
                continue
            if block.first < first:
                before.append(own[block.key])
            if block.last >= last:
                behind.append(own[block.key])
        return before, behind, beside


# The PartFound of a Lives, with so many bytes beside. A limit of what may be needed is near: so a
# second look with it is the last one.
def _planned(lives, beside, limit, is_long):
    size = place(lives, _TRIES)[0]
    least = ceil(size / _NEAR)
    if is_long and least <= limit - beside < size:
        return PartFound(beside + min(size, place(lives, _MORE_TRIES)[0]))
    return PartFound(beside + size, True, beside + least if is_long else 0)
