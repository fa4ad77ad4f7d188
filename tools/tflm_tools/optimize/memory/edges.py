# tflm_tools: Edges: what operators of a model need and take, one by one or some of them in bands
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, field
from itertools import product

from tflm.errors import TflmError
from tflm.tflite.graph import Tensor

from ...model.graph import copy_quantization, root_of
from ...model.schema import BuiltinOperator
from ...plan.distances import Distance
from ...plan.lives import Lives
from ...plan.planner import place
from .bands import in_bands
from .progress import Progress
from .regions import Regions
from .storing import Storing

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)
_LOW = (1, 2)  # where rows are made anew, to take least
LONGEST = 16  # operators of a region
_TRIES = 50  # random orders for a part of the model
_SMALL = 512  # bytes of scratch where rows that are kept lie apart, to take least
_NEVER = 1 << 40  # bytes that no board has


@dataclass(eq=False)
class Edge:
    """Operators first..last-1 of a model in bands of `height` rows, or one by itself.

    arena and cycles are least values until it has been looked at: is_sure. stored: how weights
    are stored then, as Storing gives it. of: the Edges that can look at it.
    """

    first: int
    last: int
    arena: int
    cycles: int = 0
    progress: Progress | None = None
    is_sure: bool = True
    stored: dict = field(default_factory=dict)
    of: object = None


# A tensor that no graph knows of.
class _Scrap:
    def __init__(self):
        self._next = 1 << 24

    def __call__(self, name, dtype, shape, like):
        tensor = Tensor(self._next, name, dtype, tuple(shape))
        self._next += 1
        if like.is_quantized:
            copy_quantization(like, tensor)
        return tensor


class Edges:
    """What parts of a model need and take: single operators, and regions in bands.

    nodes: of the model; storing: the ways to store weights. probe: what is known of its nodes.
    """

    def __init__(self, graph, probe):
        self._subgraph = graph.running()[0]
        self.nodes = self._subgraph.nodes
        self._probe = probe
        self._scrap = _Scrap()
        self._blocks = self._lives().blocks
        self.storing = Storing(self._probe, self.nodes, self._arena_of)
        self._regions = Regions(self._subgraph)
        self._bands = {}  # (first, last): [Edge]
        self._singles = {}

    # The Lives of all tensors.
    def _lives(self):
        subgraph = self._subgraph
        return Lives(subgraph.input_tensors(), subgraph.output_tensors(), subgraph.nodes, [], {})

    # The bytes that operators first..last-1 need, in bands when there is a chain, and what is in
    # use meanwhile; `stored`: how weights are stored, as Storing gives it. Returns (bytes, whether
    # they are no least value only, as where that is beyond the limit).
    def _arena(self, first, last, chain=None, stored=None, limit=_NEVER):
        own = {}  # roots by their numbers
        for node in self.nodes[first:last]:
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
        nodes = chain.nodes if chain else self.nodes[first:last]
        slots = chain.slots if chain else [nodes]
        scratch, distances = self._scratch(nodes, slots, chain, stored or {})
        lives = Lives(before, behind, nodes, scratch, distances)
        least = beside + lives.least(len(nodes), distances)
        return (least, False) if least > limit else (beside + place(lives, _TRIES), True)

    # The same for one operator, its weights stored in one way.
    def _arena_of(self, place, stored):
        return self._arena(place, place + 1, stored=stored)[0]

    # (scratch buffers, {step: Distances}) of some nodes.
    def _scratch(self, nodes, slots, chain, stored):
        scratch, key = [], -1
        steps = {id(node): step for step, node in enumerate(nodes)}
        for slot in slots:
            parts = [node for node in slot if node is not None]
            made = [self._probe.made(part) for part in parts]
            way = stored.get(parts[0].index) if made[0].cost else None
            for k in range(max(len(m.scratch) for m in made)):
                size = max(m.scratch[k] for m in made if k < len(m.scratch))
                if way is not None:
                    size = max(m.cost(way)[0] for m in made)
                scratch.append((key, size, [steps[id(part)] for part in parts]))
                key -= 1
        if chain:
            records = self._probe.block_bytes(nodes)
            scratch.append((key, records, range(len(nodes))))
        distances = {
            step: [Distance(node.inputs[0], node.outputs[0], 0)]
            if chain and node.builtin_code == BuiltinOperator.RESHAPE
            else self._probe.distances(node)
            for step, node in enumerate(nodes)
        }
        return scratch, distances

    def single(self, place):
        """The Edge of an operator by itself.

        What cannot run in bands and sees parts of tensors is not judged: its views may lie where
        they cost nothing.
        """
        if place not in self._singles:
            node = self.nodes[place]
            tensors = [t for t in node.inputs + node.outputs if t is not None]
            judged = self._regions.may(place) or all(t.view_of is None for t in tensors)
            arena = self._arena(place, place + 1)[0] if judged else 0
            self._singles[place] = Edge(place, place + 1, arena)
        return self._singles[place]

    def banded(self, first, last, limit):
        """Edges of operators first..last-1 in bands, where `limit` bytes may do."""
        key = first, last
        if key not in self._bands:
            region = self._regions.region(first, last)
            self._bands[key] = [] if region is None else list(self._in_bands(region))
        return [edge for edge in self._bands[key] if edge.arena <= limit]

    # An Edge for each way to run a region in bands.
    def _in_bands(self, region):
        beside = self._beside(region)
        keeping = product(region.paces(_HEIGHTS), [(False, {}), (True, {})])
        making = product(region.paces(_LOW), [(False, anew) for anew in region.anew()])
        for pace, form in [*keeping, *making]:
            progress = Progress(region, *pace, *form)
            arena, cycles = beside + progress.peak(), progress.cycles(self._probe.cycles)
            yield Edge(region.first, region.last, arena, cycles, progress, False, of=self)

    def longest(self, last):
        """How far back operators that may run in bands with the one before `last` go."""
        return self._regions.longest(last, LONGEST)

    # Bytes that a region needs beside its values: other tensors, and its records.
    def _beside(self, region):
        own = {root_of(t)[0].index for n in region.nodes for t in n.inputs + n.outputs if t}
        beside = sum(
            block.size
            for block in self._blocks
            if block.first < region.last and block.last >= region.first and block.key not in own
        )
        return beside + self._probe.block_bytes(region.nodes)

    def look_at(self, edge, limit=_NEVER):
        """Find out what an Edge needs and takes, or that it needs more than a limit."""
        chain = in_bands(edge.progress, self._scrap)
        stored, cycles = {}, 0
        try:
            if chain is None or not all(map(self._is_one_record, chain.slots)):
                edge.arena = _NEVER
                return
            for slot in chain.slots:
                room = self.storing.usual(slot)
                if edge.progress.apart or edge.progress.anew:
                    room = min(room, _SMALL)
                cycles += self.storing.in_slot(slot, stored, room)
            edge.arena, edge.is_sure = self._arena(edge.first, edge.last, chain, stored, limit)
        except TflmError:  # Prepare does not take a part
            edge.arena = _NEVER
            return
        if edge.is_sure:
            edge.stored = stored
            edge.cycles += cycles - sum(map(self.storing.least, edge.progress.region.nodes))

    # True when all that runs at a place of a chain may share its records.
    def _is_one_record(self, slot):
        return len({self._probe.made(node).form for node in slot if node is not None}) == 1
