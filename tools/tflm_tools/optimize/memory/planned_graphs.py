# tflm_tools: PlannedGraphs: a model and the graphs that a search makes of it, each planned once
# MIT license; Copyright (c) 2026 the tflm authors

import copy

from .part_arena import DRAFT_TOLERANCE
from .search.band_plan import apply_band_plan
from .search.shortest_path import PlanSearch
from .weights.flash_cache import miss_of
from .weights.spend_slack import copy_with_layouts

MAX_TRIES = 4  # plans of the whole model for one limit; 9 gave the same plans (ablation.csv)


class PreparedModels:
    """prepare(model), which returns a RomStorage, called once for each model.

    packed_weights: PackedWeights of these models, or None.
    """

    def __init__(self, prepare, packed_weights=None):
        self._prepare = prepare
        self.packed_weights = packed_weights
        self._storages = {}  # id of a model: (the model, its RomStorage)

    def __call__(self, model):
        if id(model) not in self._storages:
            self._storages[id(model)] = model, self._prepare(model)
        return self._storages[id(model)][1]


class PlannedGraphs:
    """A Graph, and the Graphs that bands and weight layouts make of it.

    model: the Graph without bands; it may be replaced before a search begins.
    prepared: PreparedModels. target, packing: as for image.prepare.prepare_graph().
    miss: cycles to fetch a word of weights; see weights/flash_cache.py.
    """

    def __init__(self, model, prepared, target=None, packing=None, miss=None):
        self.model = model
        self.prepared = prepared
        self._options = target, packing, miss, prepared.packed_weights
        self.miss = miss_of(target, miss)
        self._search = None
        self._final = {}  # id of a draft: (the draft, the final model)
        self._banded = {}  # what a BandPlan consists of: its Graph
        self._with_layouts = {}  # (id of a model, layouts): the model with them

    def final(self, draft):
        """Return a model with the plan of a draft, improved by a full search for an order."""
        if id(draft) not in self._final:
            model = copy.copy(draft)
            model.is_draft, model.buffer_order = False, self.prepared(draft).buffer_order
            self._final[id(draft)] = draft, model
        return self._final[id(draft)][1]

    def head_bytes(self, model):
        """Return the bytes of the arena's head that a model needs."""
        return self.prepared(model).head_bytes

    @property
    def search(self):
        """The PlanSearch of the model."""
        if self._search is None:
            self._search = PlanSearch(self.model, *self._options)
        return self._search

    def with_layouts(self, model, layouts):
        """Return copy_with_layouts() of a model; the same object for the same arguments."""
        key = id(model), frozenset(layouts.items())
        if key not in self._with_layouts:
            self._with_layouts[key] = copy_with_layouts(model, layouts, self.prepared(model))
        return self._with_layouts[key]

    def check(self, plan, found):
        """Plan the whole model with a BandPlan; return True if it needs no more than `plan.arena`.

        A region was planned by itself. In the plan of the model, the tensors around it may leave
        its buffers other offsets, and it needs more.

        1. Plan the Graph of the BandPlan. Add it to `found`: {key: (Graph, extra cycles, head
           bytes)}, unless nothing runs in bands.
        2. If it exceeds `plan.arena`, find the regions and single operators during which a buffer
           ends highest, and raise the arena of their Edges for later searches. Others may be too
           high due to them.
        3. If none of these is too high, raise the arena of the operator that writes the highest
           buffer.
        """
        key = *plan.edges, *plan.rewrites, *plan.layouts.items()
        if not key:
            graph = self.model
        elif key not in self._banded:
            graph = self._banded[key] = self._with_bands(plan)
        else:
            graph = self._banded[key]
        storage = self.prepared(graph)
        if key:
            found.setdefault(key, (graph, plan.cycles, storage.head_bytes))
        if storage.head_bytes <= plan.arena:
            return True
        nodes_of_edges = [chain.nodes for chain in graph.chains or ()]
        nodes_of_edges += [[edge.owner.nodes[edge.first]] for edge in plan.small_scratch]
        tops = [_highest_end(graph, storage, nodes) for nodes in nodes_of_edges]
        is_elsewhere = max(tops, default=0) <= plan.arena
        if is_elsewhere and self._raise_highest_operator(graph, storage):
            return False
        for edge, top in zip([*plan.edges, *plan.small_scratch], tops, strict=True):
            if top == max(tops):
                # It may be too high only between its nodes and the next ones.
                edge.owner.raise_arena(edge, max(top, plan.arena + 1))
        return not tops

    # The Graph of a BandPlan. If it exceeds `plan.arena`, some bands may run in descending order.
    def _with_bands(self, plan):
        graph = apply_band_plan(self.model, plan)
        descending = plan.descending_edges()
        if not descending or self.head_bytes(graph) <= plan.arena:
            return graph
        return min(graph, apply_band_plan(self.model, plan, descending), key=self.head_bytes)

    # Raise the arena of the operator that writes the highest buffer; False if that is known, or
    # the operator does not run by itself.
    def _raise_highest_operator(self, graph, storage):
        buffers = [*storage.tensors.values(), *storage.scratch_buffers]
        highest = max(buffers, key=lambda b: (b.offset + b.size, -b.first))
        nodes, position = graph.running()[0].nodes, max(highest.first, 1) - 1
        if position >= len(nodes):  # an output that nothing writes
            return False
        return self.search.raise_single(nodes[position], storage.head_bytes)

    def smallest(self, max_arena, max_cycles, step, found, cycle_limit=None):
        """Return PlanSearch.smallest() once the plan of the whole model confirms it.

        Stops after a number of tries, or if the BandPlan needs more than the smallest graph that
        was found. Adds Graphs to `found`, as check() does.
        """
        min_arena = 0  # what the search has learnt only raises the smallest arena
        for _ in range(MAX_TRIES):
            plan = self.search.smallest(max_arena, max_cycles, step, min_arena, cycle_limit)
            best = min((head for *_, head in found.values()), default=max_arena)
            if plan is None or plan.arena > DRAFT_TOLERANCE * best:
                break
            if self.check(plan, found):
                break
            min_arena = plan.arena
        return plan


# The highest end of a buffer in the arena while some nodes run.
def _highest_end(model, storage, nodes):
    running = set(map(id, nodes))
    steps = [i for i, node in enumerate(model.running()[0].nodes, 1) if id(node) in running]
    buffers = [*storage.tensors.values(), *storage.scratch_buffers]
    return max(b.offset + b.size for b in buffers if b.first <= steps[-1] and b.last >= steps[0])
