# tflm_tools: which chains of a model run in bands, and how high these are
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from dataclasses import dataclass, field

from tflm.errors import TflmError
from tflm.tflite.graph import Tensor

from ...image.rows import CODE as ROWS
from ...model.graph import copy_quantization, root_of
from ...model.schema import BuiltinOperator
from ...plan.distances import Distance
from ...plan.lives import Lives
from ...plan.planner import place
from .bands import banded_rows, in_bands
from .costs import chain_cycles, node_cycles
from .probe import Probe

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)
_LONGEST = 9  # operators of a chain
_LONGEST_BY_ROWS = 14  # of one that begins with the rows of the input, which are few
_TRIES = 24  # random orders for a part of the model
_STEP = 256  # bytes between two limits that are tried


@dataclass
class Edge:
    """Operators first..last-1 of a run in bands of `height` rows; one by one when that is None."""

    first: int
    last: int
    height: int | None
    arena: int
    cycles: int


@dataclass
class Fusion:
    """What to run in bands: [(nodes, height)], the arena that this should need, and its cost."""

    chains: list = field(default_factory=list)
    arena: int = 0
    cycles: int = 0


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


def runs_of(subgraph):
    """Lists of at least two operators, each reading what only the one before it writes."""
    consumers, views = {}, set()
    for node in subgraph.nodes:
        for tensor in node.inputs:
            if tensor is not None:
                consumers.setdefault(tensor.index, []).append(node)
        for tensor in node.inputs + node.outputs:
            if tensor is not None and tensor.view_of is not None:
                views.update((tensor.index, tensor.view_of[0].index, root_of(tensor)[0].index))
    outputs = {tensor.index for tensor in subgraph.output_tensors()}
    banded = {id(node) for node in subgraph.nodes if banded_rows(node) is not None}

    def follower(node):
        tensor = node.outputs[0]
        users = consumers.get(tensor.index, ())
        if tensor.index in outputs or tensor.index in views or len(users) != 1:
            return None
        user = users[0]
        return user if id(user) in banded and user.inputs[0] is tensor else None

    runs, taken = [], set()
    for node in subgraph.nodes:
        if id(node) not in banded or id(node) in taken:
            continue
        run = [node]
        while (user := follower(run[-1])) is not None:
            run.append(user)
        taken.update(map(id, run))
        if len(run) > 1:
            runs.append(run)
    return runs


class Search:
    """Looks for the cheapest way to run a model in an arena of a given size."""

    def __init__(self, graph, target=None, packing=None, miss=None):
        self._subgraph = graph.running()[0]
        self.nodes = self._subgraph.nodes
        self._target = target
        self._probe = Probe(graph, target, packing, miss)
        self._scrap = _Scrap()
        self._edges = {}
        self._needs = {}  # bytes that a chain in bands needs at least
        self._ways = {}
        self.runs = runs_of(self._subgraph)
        self._others = self._bytes_beside()
        self.base_cycles = sum(node_cycles(node, target) for node in self._subgraph.nodes)
        self.base_cycles += sum(c[0].cycles for c in map(self._choices, self._subgraph.nodes) if c)

    # Ways to store the weights of a node.
    def _choices(self, node):
        return self._probe.made(node).choices

    # The Lives of all tensors.
    def _lives(self):
        subgraph = self._subgraph
        return Lives(subgraph.input_tensors(), subgraph.output_tensors(), subgraph.nodes, [], {})

    # {id(node): bytes of tensors in use while it runs that are neither its own nor its run's}.
    def _bytes_beside(self):
        nodes = self._subgraph.nodes
        lives = self._lives()
        beside = {}
        for run in self.runs:
            own = {root_of(run[0].inputs[0])[0].index}
            own.update(root_of(node.outputs[0])[0].index for node in run)
            for node in run:
                step = next(i for i, other in enumerate(nodes) if other is node)
                beside[id(node)] = sum(
                    block.size
                    for block in lives.blocks
                    if block.key not in own and block.first <= step <= block.last
                )
        return beside

    # The bytes that some nodes need by themselves; `buffer`: of scratch, for one with a choice.
    def _arena(self, nodes, source, target, chain=None, buffer=None):
        scratch, distances = [], {}
        steps = {id(node): step for step, node in enumerate(nodes)}
        key = -1
        for slot in chain.slots if chain else [[node] for node in nodes]:
            parts = [node for node in slot if node is not None]
            made = [self._probe.made(part) for part in parts]
            for k in range(max(len(m.scratch) for m in made)):
                size = buffer or max(m.scratch[k] for m in made if k < len(m.scratch))
                scratch.append((key, size, [steps[id(part)] for part in parts]))
                key -= 1
        if chain:
            records = sum(self._record_bytes(slot) for slot in chain.slots)
            scratch.append((key, records, range(len(nodes))))
        for step, node in enumerate(nodes):
            distances[step] = (
                [Distance(node.inputs[0], node.outputs[0], 0)]
                if node.builtin_code == BuiltinOperator.RESHAPE
                else self._probe.distances(node)
            )
        return place(Lives([source], [target], nodes, scratch, distances), _TRIES)

    def _record_bytes(self, slot):
        return max((self._probe.made(n).record_bytes for n in slot if n is not None), default=0)

    # The arena that one operator needs.
    def _single(self, run, i):
        key = id(run), i
        if key not in self._edges:
            node = run[i]
            arena = self._arena([node], node.inputs[0], node.outputs[0])
            self._edges[key] = Edge(i, i + 1, None, arena + self._others[id(node)], 0)
        return self._edges[key]

    # Operators i..j-1 in bands, if `limit` bytes may do.
    def _banded(self, run, i, j, height, limit):
        key = id(run), i, j, height
        found = self._edges.get(key)
        if found is not None or key in self._edges:
            return found
        nodes = run[i:j]
        rows = nodes[-1].outputs[0].shape[1]
        others = max(self._others[id(node)] for node in nodes)
        if 2 * height > rows:
            self._edges[key] = None
            return None
        if self._needs.get(key, 0) > limit:
            return None
        chain = in_bands(nodes, height, self._scrap)
        if chain is None:
            self._edges[key] = None
            return None
        own = sum(t.nbytes() for t in chain.tensors if t.view_of is None)
        ends = nodes[0].inputs[0], nodes[-1].outputs[0]
        self._needs[key] = own + max(t.nbytes() for t in ends) + others
        if self._needs[key] > limit:
            return None  # may do for another limit
        try:
            arena = self._arena(chain.nodes, *ends, chain)
        except TflmError:  # Prepare does not take a part
            self._edges[key] = None
            return None
        cycles = chain_cycles(chain) + self._fetching(nodes, chain)
        edge = Edge(i, j, height, arena + others, cycles)
        self._edges[key] = edge
        return edge

    # Cycles to fetch the weights of a chain in each band, beyond what its operators need at least.
    def _fetching(self, nodes, chain):
        least = sum(c[0].cycles for c in map(self._choices, nodes) if c)
        return sum(self._probe.made(node).fetching for node in chain.nodes) - least

    # [(bytes that are in use while a node runs, Choice)], from the cheapest to what needs least.
    def _ways_of(self, node):
        if id(node) not in self._ways:
            self._ways[id(node)] = self._measured(node) if self._choices(node) else []
        return self._ways[id(node)]

    def _measured(self, node):
        source, target = node.inputs[0], node.outputs[0]
        step = next(i for i, other in enumerate(self.nodes) if other is node)
        used = [b for b in self._lives().blocks if b.first <= step <= b.last]
        total = sum(block.size for block in used)
        own = {root_of(source)[0].index, root_of(target)[0].index}
        if any(block.key in own and block.first < step < block.last for block in used):
            return [(total + c.scratch, c) for c in self._choices(node)]  # the input is kept
        beside = total - sum(block.size for block in used if block.key in own)
        return [
            (beside + self._arena([node], source, target, None, choice.scratch), choice)
            for choice in self._choices(node)
        ]

    def stored(self, nodes, limit):
        """How to store the weights of nodes that have a choice.

        Each may need `limit` bytes of arena, or as much scratch as Prepare gives it by itself.
        Returns ({operator's number: Choice.stored}, cycles more than without a limit).
        """
        found, cycles = {}, 0
        for node in nodes:
            ways = self._ways_of(node)
            if ways:
                usual = self._probe.made(node).scratch[0]
                fit = (way for arena, way in ways if arena <= limit or way.scratch <= usual)
                choice = next(fit, ways[-1][1])
                found[node.index] = choice.stored
                cycles += choice.cycles - ways[0][1].cycles
        return found, cycles

    def unstored(self, nodes):
        """What stored() counts for nodes that stay as Prepare makes them."""
        made = [self._probe.made(node) for node in nodes]
        return sum(m.fetching - m.choices[0].cycles for m in made if m.choices)

    # The cheapest way through a run with at most `limit` bytes: (cycles, edges), or None.
    def _path(self, run, limit):
        best = [None] * (len(run) + 1)
        best[0] = 0, []
        for i in range(len(run)):
            if best[i] is None:
                continue
            cost, edges = best[i]
            single = self._single(run, i)
            if single.arena <= limit:
                self._better(best, i + 1, cost, [*edges, single])
            longest = _LONGEST_BY_ROWS if run[i].builtin_code == ROWS else _LONGEST
            for j in range(i + 2, min(len(run), i + longest) + 1):
                if all(self._single(run, k).arena <= limit for k in range(i, j)):
                    continue
                for height in _HEIGHTS:
                    edge = self._banded(run, i, j, height, limit)
                    if edge is not None and edge.arena <= limit:
                        self._better(best, j, cost + edge.cycles, [*edges, edge])
        return best[-1]

    def _better(self, best, at, cost, edges):
        if best[at] is None or cost < best[at][0]:
            best[at] = cost, edges

    def within(self, limit):
        """The cheapest Fusion that needs at most `limit` bytes for each run, or None."""
        fusion = Fusion(arena=limit)
        for run in self.runs:
            found = self._path(run, limit)
            if found is None:
                return None
            cycles, edges = found
            fusion.cycles += cycles
            fusion.chains += [
                (run[e.first : e.last], e.height) for e in edges if e.height is not None
            ]
        return fusion

    def cheapest(self, most, cycles):
        """The Fusion with the least arena that costs at most `cycles`, by halving; `most`: bytes.

        None when nothing below `most` does.
        """
        low, high, best = 0, most // _STEP, None
        while low < high:
            middle = (low + high) // 2
            fusion = self.within(middle * _STEP)
            if fusion is not None and fusion.cycles <= cycles:
                best, high = fusion, middle
            else:
                low = middle + 1
        return best


def apply(graph, fusion):
    """A Graph with the chains of a Fusion in place of their operators; its `chains` tell of them.

    Nodes and tensors that stay are those of `graph`, which itself does not change.
    """
    result = copy.copy(graph)
    subgraph = copy.copy(graph.running()[0])
    result.subgraphs = [subgraph if s is graph.running()[0] else s for s in graph.subgraphs]
    subgraph.model = result
    subgraph.tensors = dict(subgraph.tensors)

    def make(name, dtype, shape, like):
        return subgraph.new_tensor(name, dtype, shape, like=like)

    result.chains = []
    for nodes, height in fusion.chains:
        chain = in_bands(nodes, height, make)
        at = next(i for i, node in enumerate(subgraph.nodes) if node is nodes[-1])
        gone = set(map(id, nodes))
        before = [node for node in subgraph.nodes[:at] if id(node) not in gone]
        subgraph.nodes = before + chain.nodes + subgraph.nodes[at + 1 :]
        result.chains.append(chain)
    result.drop_unused()
    return result
