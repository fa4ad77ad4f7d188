# tflm_tools: PlanSearch: the cheapest way to run a model within an arena, by shortest paths
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import bisect_left
from itertools import chain
from math import inf

from ..costs import REFERENCE_TARGET, min_cycles
from ..node_costs import NodeCostTable
from ..rewrites.pooled_groups import pooled_groups
from ..rewrites.recompute import recomputations
from .band_plan import BandPlan
from .edge import Edge
from .edges import ModelEdges
from .rewrite_paths import RewritePath, relax
from .temporary_tensors import TemporaryTensors

# With limits 2 % apart, gestures at `balanced` for rv32imc needs 10.8 % more.
STEP = 256  # bytes between two limits that are tried


class PlanSearch:
    """Looks for the cheapest way to run a model in an arena of a given size.

    The operators of the model are a graph of positions: an Edge leads from the position of its
    first operator to the one after its last operator, if it fits the arena. A plan is a path from
    the first to the last position; its cycles are the sum over its Edges.

    1. Find the shortest path by lower bounds of the Edges' bytes and cycles.
    2. Examine the Edges of the path that are not planned yet; their bytes and cycles grow.
    3. Repeat until all Edges of the path are planned.
    4. The smallest arena for a number of cycles is found by halving.

    nodes: of the model. layout_search: its WeightLayoutSearch. tensors: its
    TemporaryTensors.
    base_cycles: of the model without bands, about. reference_cycles: the same with the kernels of
    a Cortex-M0+.
    """

    def __init__(self, graph, target=None, packing=None, miss=None, packed_weights=None):
        self._node_costs = node_costs = NodeCostTable(graph, target, packing, miss, packed_weights)
        self._target = target
        self.tensors = TemporaryTensors()
        self._edges = ModelEdges(graph, node_costs, self.tensors)
        self.nodes, self.layout_search = self._edges.nodes, self._edges.layout_search
        self.base_cycles = self.min_cycles(self.nodes)
        reference_target = target and REFERENCE_TARGET
        self.reference_cycles = min_cycles(self.nodes, node_costs, reference_target)
        self._rewrites = {}  # position of the reader: RewritePaths
        for rewrite in [*recomputations(graph), *pooled_groups(graph)]:
            path = RewritePath(rewrite, node_costs, target, self.tensors)
            self._rewrites.setdefault(rewrite.reader, []).append(path)

    def min_cycles(self, nodes):
        """Return the cycles of nodes that run one by one, with the fastest weight layouts."""
        return min_cycles(nodes, self._node_costs, self._target)

    def extra_cycles_of_chain(self, chain, layouts):
        """Return the extra cycles of a BandedChain, with the weight layouts of its model."""
        schedule, weights = chain.schedule, self.layout_search
        cycles = schedule.cycles(self._node_costs.cycles) + schedule.copy_cycles()
        cycles += weights.chain_cycles(chain.slots, layouts)
        return round(cycles - weights.min_cycles_of_region(schedule.region))

    @property
    def _all_rewrites(self):
        return chain.from_iterable(self._rewrites.values())

    # (cycles, [Edge or RewritePath]) of the shortest path within a limit, or None. Edges that
    # were not examined may need more. rewrites: {position of the reader: RewritePaths} that may be
    # used.
    def _shortest_path(self, limit, rewrites):
        paths = [(0, None, None)] + [None] * len(self.nodes)
        for position in range(len(self.nodes)):
            relax(self._edges, paths, position + 1, limit)
            for rewrite_path in rewrites.get(position, ()):
                replaced = range(rewrite_path.rewrite.first, position + 1)
                if any(self._edges.single(at).arena > limit for at in replaced):
                    rewrite_path.offer(paths, limit)
        if paths[-1] is None:
            return None
        elements, path = [], paths[-1]
        while path[1] is not None:
            elements.append(path[1])
            path = path[2]
        return paths[-1][0], elements[::-1]

    def within(self, limit, max_cycles=None, cycle_limit=None):
        """Return the cheapest BandPlan that needs at most `limit` bytes, or None.

        max_cycles: extra cycles that it may cost. cycle_limit: a CycleLimit for it, too.
        """
        max_cycles = inf if max_cycles is None else max_cycles
        cheapest_rewrite = min((each.cycles for each in self._all_rewrites), default=inf)
        # A plan that costs less than any rewrite is found without rewrites.
        known = min(max_cycles, cheapest_rewrite), cycle_limit
        is_final, path = self._examined_path(limit, {}, *known)
        if not is_final and cheapest_rewrite <= max_cycles:
            rewrites = self._rewrites_within(max_cycles)
            path = self._examined_path(limit, rewrites, max_cycles, cycle_limit)[1]
        return None if path is None else _band_plan(path, limit)

    # The shortest path of which all Edges have been examined: (True, path). (False, None) if it
    # costs more than `max_cycles` or there is none; (True, None) if it exceeds the CycleLimit.
    def _examined_path(self, limit, rewrites, max_cycles, cycle_limit):
        while True:
            path = self._shortest_path(limit, rewrites)
            if path is None or path[0] > max_cycles:
                return False, None
            edges = [each for each in path[1] if isinstance(each, Edge)]
            if cycle_limit is not None:
                arena = cycle_limit.arena(limit)
                savable = sum(edge.savable_cycles(arena) for edge in edges)
                if path[0] - savable > cycle_limit.cycles:
                    return True, None
            unknown = [edge for edge in edges if not edge.is_planned]
            if not unknown:
                return True, path
            for edge in unknown:
                edge.owner.examine(edge, limit)

    # The RewritePaths that cost at most `max_cycles`, by the position of their reader.
    def _rewrites_within(self, max_cycles):
        return {
            position: [each for each in rewrite_paths if each.cycles <= max_cycles]
            for position, rewrite_paths in self._rewrites.items()
        }

    def raise_single(self, node, arena):
        """Note that an operator by itself needs `arena` bytes; return False if it is known."""
        position = next((i for i, other in enumerate(self.nodes) if other is node), None)
        return position is not None and self._edges.raise_single(position, arena)

    def min_arena(self, max_arena, max_cycles, step=STEP):
        """Return bytes, at most `max_arena`, that every plan with `max_cycles` needs.

        That is as far as is known before any Edge has been examined.
        """
        rewrites = self._rewrites_within(max_cycles)

        def may_be_enough(limit):
            path = self._shortest_path(limit, rewrites)
            return path is not None and path[0] <= max_cycles

        limits = range(0, max_arena // step * step, step)
        return step * bisect_left(limits, True, key=may_be_enough)

    def smallest(self, max_arena, max_cycles, step, min_arena=0, cycle_limit=None):
        """Return the BandPlan with the smallest arena below `max_arena` bytes, or None.

        max_cycles: extra cycles that it may cost, None for any number. step: bytes between two
        limits that are tried. min_arena: bytes that every plan needs, so that limits a little
        above them are tried first. cycle_limit: as for within().
        """
        low, high, is_found = min_arena // step, int(max_arena) // step, False
        ahead = 0 if min_arena else high
        while low < high:
            middle = (low + high) // 2
            if not is_found:
                middle = min(middle, low + ahead)
            if self.within(middle * step, max_cycles, cycle_limit) is not None:
                is_found, high = True, middle
            else:
                low, ahead = middle + 1, 2 * ahead + 1
        return self.within(high * step, max_cycles) if is_found else None


# The BandPlan of a path (cycles, [Edge or RewritePath]).
def _band_plan(path, limit):
    plan = BandPlan([], limit, path[0])
    for element in path[1]:
        if isinstance(element, RewritePath):
            plan.rewrites.append(element.rewrite)
            continue
        plan.cycles -= element.layout_cycles
        if element.band_costs is not None:
            plan.layouts.update(element.band_costs.layouts)
        if element.schedule is not None:
            plan.edges.append(element)
        elif element.band_costs is not None:
            plan.small_scratch.append(element)
    return plan
