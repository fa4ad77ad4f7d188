# tflm_tools: ModelEdges: the arena and cycles of each part of a model, by itself or in bands
# MIT license; Copyright (c) 2026 the tflm authors

from copy import copy
from dataclasses import replace
from math import inf

from tflm.errors import TflmError

from ....bands.peak_memory import peak_and_live_bytes
from ....bands.region import RegionFinder
from ....bands.write import write_chain
from ..part_arena import NO_LIMIT, PartArena
from ..weights.layout_search import WeightLayoutSearch
from .band_costs import BandCosts, band_costs_of
from .candidates import Candidates
from .edge import Edge
from .temporary_tensors import TemporaryTensors

# Operators of a region. With 6, mlperf_kws needs 71.6 % more bytes.
MAX_REGION = 16


class ModelEdges:
    """The Edges of a graph: single operators, and regions in bands.

    nodes: of the graph. layout_search: its WeightLayoutSearch. node_costs: a NodeCostTable.
    tensors: TemporaryTensors of the search, or None.
    last_choices: a cache of relax() by the position to which Edges lead.
    """

    def __init__(self, graph, node_costs, tensors=None):
        self._subgraph = graph.running()[0]
        self.nodes = self._subgraph.nodes
        self._node_costs = node_costs
        self._tensors = tensors or TemporaryTensors()
        self._part_arena = PartArena(self._subgraph, node_costs)
        self.layout_search = WeightLayoutSearch(node_costs, self.nodes, self._arena_of)
        self._regions = RegionFinder(self._subgraph)
        self._arenas, self._min_arenas = {}, {}  # caches of _arena_of()
        self._candidates = {}  # (first, end): Candidates
        self._min_bytes = {}  # (first, end): bytes that every schedule needs
        self._earliest_starts = [
            self._regions.earliest_start(end, MAX_REGION) for end in range(len(self.nodes) + 1)
        ]
        self.last_choices = {}
        self._singles = {}
        self._with_small_scratch = {}

    # Bytes in use while one operator runs; layouts: of its weights. limit: bytes; a lower bound
    # that exceeds it is returned in place of the exact number.
    def _arena_of(self, position, layouts, limit=NO_LIMIT):
        nodes = self.nodes[position : position + 1]
        sizes = tuple(self._node_costs.slot(nodes).scratch(layouts))
        if (position, sizes) not in self._arenas:
            ends = position, position + 1
            if position not in self._min_arenas:
                self._min_arenas[position] = self._part_arena.plan(*ends, [], limit=-1)[0]
            lower_bound = self._min_arenas[position] + sum(sizes)
            if lower_bound > limit:
                return lower_bound
            scratch = [(size, nodes) for size in sizes]
            self._arenas[position, sizes] = self._part_arena.plan(*ends, scratch)[0]
        return self._arenas[position, sizes]

    def single(self, position):
        """Return the Edge of an operator by itself.

        Its arena is 0 for an operator on views that cannot run in bands, because its views may
        need no bytes.
        """
        if position not in self._singles:
            node = self.nodes[position]
            tensors = [t for t in node.inputs + node.outputs if t is not None]
            has_views = any(t.view_of is not None for t in tensors)
            is_judged = self._regions.can_run_in_bands(position) or not has_views
            arena = self._arena_of(position, {}) if is_judged else 0
            self._singles[position] = Edge(position, position + 1, arena)
        return self._singles[position]

    def raise_single(self, position, arena):
        """Note that an operator by itself needs `arena` bytes; return False if it is known."""
        if self.single(position).arena >= arena:
            return False
        self.single(position).arena = arena
        self.last_choices.clear()
        return True

    def with_layouts(self, position, limit):
        """Return single(position) with the extra cycles of its weights in `limit` bytes."""
        edge = self.single(position)
        cycles = self.layout_search.extra_cycles(position, limit)
        return replace(edge, cycles=cycles, layout_cycles=cycles) if cycles else edge

    def with_small_scratch(self, position, limit):
        """Return the cheapest Edge of an operator by itself with so little scratch that it fits.

        None if it does not fit `limit` bytes. The layout of its weights is in its band_costs.
        """
        if position not in self._with_small_scratch:
            smaller = self.layout_search.smaller_scratch(position)
            self._with_small_scratch[position] = [
                Edge(
                    position, position + 1, arena, cycles, None, True,
                    BandCosts(0, [], layouts), self, layout_cycles,
                )
                for arena, cycles, layout_cycles, layouts in sorted(smaller, key=lambda s: s[1])
            ]  # fmt: skip
        edges = self._with_small_scratch[position]
        return next((edge for edge in edges if edge.arena <= limit), None)

    def raise_arena(self, edge, arena):
        """Note that an Edge needs `arena` bytes in the plan of the whole model."""
        self.last_choices.pop(edge.end, None)
        if edge.schedule is None:
            more = max(0, arena - edge.arena)
            for other in self._with_small_scratch[edge.first]:
                other.arena += more
        else:
            edge.arena = max(edge.arena, arena)

    def banded(self, first, end, limit, max_cycles=inf):
        """Return the cheapest Edge of operators first..end-1 in bands, or None.

        It may need at most `limit` bytes of arena, and has fewer than `max_cycles`.
        """
        candidates = self.candidates(first, end, limit)
        return None if candidates is None else candidates.cheapest(limit, max_cycles)

    def candidates(self, first, end, limit=NO_LIMIT):
        """Return the Candidates for operators first..end-1.

        None if they cannot run in bands, or if their results alone exceed `limit` bytes.
        """
        key = first, end
        if key not in self._min_bytes:
            region = self._regions.region(first, end)
            self._min_bytes[key] = NO_LIMIT if region is None else self._kept_bytes(region)
        if self._min_bytes[key] >= NO_LIMIT or self._min_bytes[key] > limit:
            return None
        if key not in self._candidates:
            region = self._regions.region(first, end)
            self._candidates[key] = Candidates(
                region,
                self._part_arena.unrelated_bytes(region),
                self._node_costs.cycles,
                self,
            )
        return self._candidates[key]

    def earliest_start(self, end):
        """Return the first operator that may run in bands with all others before `end`."""
        return self._earliest_starts[end]

    # Bytes that are in use after a region, whatever its schedule.
    def _kept_bytes(self, region):
        kept = 0
        for each in region.feature_maps.values():
            if not each.is_internal and (each.writer is not None or each.is_needed_after):
                kept += each.row_bytes * each.rows
        return self._part_arena.unrelated_bytes(region) + kept

    def examine(self, edge, limit=NO_LIMIT):
        """Find out more about the bytes and cycles of an Edge: its next stage.

        limit: bytes; an Edge that needs more is not planned.
        Raises SearchLimitReached if the search may examine no more.
        """
        more = []
        try:
            if edge.band_costs:
                is_possible = self._plan(edge, limit)
            else:
                is_possible = self._estimate(edge, more)
        except TflmError:  # Prepare refuses a node for some rows
            is_possible = False
        if not is_possible:
            edge.arena = NO_LIMIT
        self._candidates[edge.first, edge.end].update(more)
        self.last_choices.pop(edge.end, None)

    # Stage 2, from one band of each kind; False if the Edge cannot run. Adds to `more` the Edges
    # with less scratch.
    def _estimate(self, edge, more):
        region = edge.schedule.region
        unrelated = self._part_arena.unrelated_bytes(region)
        candidates = band_costs_of(
            edge.schedule, self._node_costs, self.layout_search, self._tensors
        )
        more += [copy(edge) for _ in candidates[1:]]
        for each, costs in zip([edge, *more], candidates, strict=False):
            each.band_costs = costs
            peak, live_bytes = peak_and_live_bytes(each.schedule, costs.scratch_at)
            fixed = unrelated + costs.record_bytes
            each.arena, costs.live_bytes = fixed + peak, [fixed + size for size in live_bytes]
            each.cycles += costs.layout_cycles - self.layout_search.min_cycles_of_region(region)
            each.cycles -= self.layout_search.min_cycles_in_bands(each.schedule)
        return bool(candidates)

    # Stage 3, from a plan of all bands; False if the Edge cannot run.
    def _plan(self, edge, limit):
        chain = write_chain(edge.schedule, self._tensors)
        if chain is None:
            return False
        scratch = []
        for slot, sizes in zip(chain.slots, edge.band_costs.scratch, strict=True):
            scratch += [(size, list(filter(None, slot))) for size in sizes]
        scratch.append((edge.band_costs.record_bytes, chain.nodes))
        plan = self._part_arena.plan(edge.first, edge.end, scratch, chain, limit)
        edge.arena, edge.is_planned = plan
        return True
