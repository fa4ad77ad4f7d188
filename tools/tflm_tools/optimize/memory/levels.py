# tflm_tools: the levels of --optimize: how many cycles of a model the RAM that is saved may cost
# MIT license; Copyright (c) 2026 the tflm authors

import copy
import gc
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from math import inf

from tflm.errors import UnsupportedError
from tflm.prepare.lanes import IN_PLACE

from ...arena.overlapping_plan import may_overlap
from ...kernel_files import WEIGHTS, files_with_weights
from ...model.graph import Graph
from ...model.macs import macs
from .arena_budget import fastest
from .costs import IN_PLACE_CYCLES, reported_cycles
from .level_search import (
    BALANCED,
    BUDGET,
    LARGER_LEVEL,
    MAX_SLOWDOWN,
    MAX_TENSORS,
    OFF,
    RAM,
    SPEED,
    LevelSearch,
)
from .part_arena import DRAFT_TOLERANCE
from .planned_graphs import PlannedGraphs
from .rewrites.operator_order import late_branches, reordered
from .search.temporary_tensors import SearchLimitReached
from .weights.spend_slack import with_fastest_layouts, with_finer_layouts

LEVELS = (RAM, BALANCED, SPEED, OFF)
MAX_ABOVE_TFLM = 1024  # bytes that BALANCED may need more than TFLM's head
# Unless that takes this many times the cycles. mlperf_ad01 would take 2 to 3.6 times as many for
# 1.5 KB of arena, where packed weights need more scratch than all its tensors; others 1.3 at most.
MAX_SLOWDOWN_NEAR_TFLM = 1.5
# RAM is reported without a request only for models with fewer operators (in all orders).
_MAX_QUICK_OPERATORS = 80


@contextmanager
def gc_paused():
    """Pause Python's collector of cyclic garbage.

    A search keeps hundreds of thousands of objects, and each collection visits them all: 20 % of
    the time for less than 10 % of the memory.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@dataclass
class LevelSize:
    """Arena and flash of a level in bytes, and its estimated cycles.

    cycles: of a Cortex-M0+, or for targets of other cores instructions of these.
    bands: first and last operator of each chain in bands, or in channel groups.
    """

    level: str
    arena_bytes: int
    flat_bytes: int
    cycles: int
    bands: list[tuple[int, int]]


@dataclass(frozen=True)
class ArenaLimits:
    """Bytes of arena that Levels must respect, or None.

    budget: for BUDGET. tflm_head: TFLM's head for this model; BALANCED needs at most
    MAX_ABOVE_TFLM more, if any plan that is found does and is not too slow.
    """

    budget: int | None = None
    tflm_head: int | None = None


class Levels:
    """The plans of one model at each level.

    model: a TfliteModel, or a Graph, which does not change. prepared: PreparedModels.
    target, packing: as for image.prepare.prepare_graph(). miss: cycles to fetch a word
    of weights. limits: ArenaLimits. keep_order: the operators keep their order.

    1. Plan the model in the order of operators with the lowest peak (or in the given order).
    2. A second order, in which branches come late, allows larger regions in bands.
    3. Find each level in both orders, and take the smaller plan.
    4. If BALANCED then exceeds TFLM's head too far, take the fastest plan that does not, unless it
       takes MAX_SLOWDOWN_NEAR_TFLM times the cycles.
    """

    def __init__(self, model, prepared, target=None, packing=None, miss=None,
                 limits=ArenaLimits(), keep_order=False):  # fmt: skip
        model = copy.copy(model) if isinstance(model, Graph) else Graph(model)
        self._limits, self._target, self._keep_order = limits, target, keep_order
        self._arguments = model, prepared, target, packing, miss
        self._can_be_planned = may_overlap(model)
        self._off_model = copy.copy(model)
        self._off_model.overlap = False
        self._off = None
        self._plans_of_levels = {}  # level: (Graph, extra cycles)
        self._near_tflm = []  # the plan near TFLM's head, if BALANCED needs one
        model.overlap = model.is_draft = self._can_be_planned
        self._plans = PlannedGraphs(*self._arguments)
        self._orders = [LevelSearch(self._plans, self.off)]
        if self._can_be_planned and not keep_order:
            late = late_branches(model)
            if late is not None:
                plans = PlannedGraphs(late, *self._arguments[1:])
                self._orders.append(LevelSearch(plans, self.off))
            self._plans.model = self._in_better_order(model)

    @property
    def can_be_planned(self):
        """False for a model that keeps TFLM's plan at all levels."""
        return self._can_be_planned

    @property
    def search(self):
        """The PlanSearch of the first order of operators."""
        return self._plans.search

    def is_near_tflm_head(self):
        """Return True if BALANCED has a slower plan because of MAX_ABOVE_TFLM, else False.

        None if the usual plan of BALANCED keeps to this limit.
        """
        model = self.model(BALANCED)[0]
        return any(model is near for near, _ in self._near_tflm) if self._near_tflm else None

    def prepared(self, model):
        """Return the RomStorage of one of these models; each is prepared once."""
        return self._plans.prepared(model)

    def size(self, level, image, base_cycles=None):
        """Return the LevelSize of a level; image(model) gives the bytes of its .tflm and arena.

        base_cycles: of the model without bands, in the unit of reported_cycles(). By default the
        planner's estimate.
        """
        model, cycles = self.model(level)
        flat_bytes, arena_bytes = image(model)
        regions = [chain.nodes for chain in model.chains or ()]
        regions += model.grouped
        bands = sorted((nodes[0].index, nodes[-1].index) for nodes in regions)
        cycles = reported_cycles(cycles, self._target)
        if base_cycles is None:
            base_cycles = reported_cycles(self.base_cycles(), self._target)
        return LevelSize(level, arena_bytes, flat_bytes, round(base_cycles + cycles), bands)

    # The model with its operators in the order that needs less. If weights cost cycles, it is the
    # order with more free memory for scratch if both need the same.
    def _in_better_order(self, model):
        other = reordered(model, for_scratch=self._plans.miss > 0)
        return model if other is None else min(other, model, key=self._plans.head_bytes)

    def base_cycles(self):
        """Return the estimated cycles of the model without bands; see costs.py."""
        return self._plans.search.base_cycles if self._can_be_planned else 0

    @gc_paused()
    def model(self, level):
        """Return (the Graph of a level other than OFF, its estimated extra cycles).

        Raises SearchLimitReached if TemporaryTensors reach their limit, and UnsupportedError if
        no plan fits BUDGET.
        """
        if not self._can_be_planned:
            return self._plans.model, 0
        if level not in self._plans_of_levels:
            plan = self._within_budget() if level == BUDGET else self._smallest_order(level)
            if level == BALANCED:
                plan = self._near_tflm_head(plan)
            elif level == RAM:
                others = [self._plans_of_levels[BALANCED], *self._near_tflm]
                plan = min(plan, *others, key=self._size)
            self._plans_of_levels[level] = plan
        return self._plans_of_levels[level]

    # The plan of a level in the order in which it is smallest.
    def _smallest_order(self, level):
        if level in LARGER_LEVEL:  # first, so that the result does not depend on the requests
            self.model(LARGER_LEVEL[level])
        orders, max_head, plan_of = self._orders, inf, {}
        # The order that may need less comes first. Then its plan limits the search in the other.
        if level != SPEED and len(orders) > 1:
            orders = sorted(orders, key=lambda each: each.min_head(level))
        for order in orders:
            if plan_of and orders[0].is_done(level, self._size(plan_of[orders[0]])[0]):
                plan_of[order] = plan_of[orders[0]]
                continue
            plan_of[order] = order.model(level, max_head)
            max_head = min(max_head, DRAFT_TOLERANCE * self._size(plan_of[order])[0])
        return min((plan_of[order] for order in self._orders), key=self._size)

    # The plan of BALANCED; or, if it exceeds TFLM's head too far, the fastest one that does not.
    # Scratch buffers of a target may make a small model much larger than TFLM's.
    def _near_tflm_head(self, plan):
        tflm_head = self._limits.tflm_head
        limit = inf if tflm_head is None else tflm_head + MAX_ABOVE_TFLM
        if self._plans.head_bytes(plan[0]) <= limit:
            return plan
        smaller = self._plan_within(limit, plan)
        self._near_tflm = [smaller]
        before, after = (
            reported_cycles(self.base_cycles() + cycles, self._target)
            for _, cycles in (plan, smaller)
        )
        return smaller if after <= MAX_SLOWDOWN_NEAR_TFLM * before else plan

    # The fastest plan with a head of at most `limit` bytes, or one near it. plan: of BALANCED.
    def _plan_within(self, limit, plan):
        unbanded = self.prepared(self._plans.model)
        arena = limit + unbanded.arena_bytes - unbanded.head_bytes
        others = Levels(*self._arguments, ArenaLimits(arena), self._keep_order)
        with suppress(UnsupportedError):
            return others.model(BUDGET)
        return self._with_weights_in_place(min(plan, others.model(RAM), key=self._size), limit)

    # A plan with weights in place, which need no scratch buffers but more time, in the layers with
    # the largest scratch buffers, until at most `limit` bytes are needed.
    def _with_weights_in_place(self, plan, limit):
        model, cycles = plan
        storage = self.prepared(model)
        sizes = {node.index: size for size, node in storage.scratch_requests}
        packed = files_with_weights(*WEIGHTS)
        nodes = {
            record.node.index: record.node
            for record in storage.records
            if record.kernel.partition(".")[0] in packed and record.node.index in sizes
        }
        layouts = {}
        for number in sorted(nodes, key=lambda number: -sizes[number]):
            if self._plans.head_bytes(model) <= limit:
                break
            layouts[number] = IN_PLACE, None
            cycles += IN_PLACE_CYCLES * macs(nodes[number])
            model = self._plans.with_layouts(plan[0], layouts)
        return min(plan, (model, cycles), key=self._size)

    # (head bytes, cycles) of (Graph, extra cycles).
    def _size(self, plan):
        return self._plans.head_bytes(plan[0]), plan[1]

    # The fastest plan that fits the arena. Its search corrects what it knows about Edges, and
    # levels must not depend on a budget, so a separate search finds the levels.
    def _within_budget(self):
        levels = Levels(*self._arguments, keep_order=self._keep_order)
        own, *late = zip(self._orders, (levels, *levels._orders[1:]), strict=True)
        plan, refusal = None, None
        try:
            plan = self._fastest(*own)
        except UnsupportedError as error:
            refusal = error
        is_slow = plan is None or plan[1] > MAX_SLOWDOWN * self.base_cycles()
        for each in late if is_slow else ():
            with suppress(UnsupportedError):
                other = self._fastest(*each)
                plan = other if plan is None else min(plan, other, key=lambda each: each[1])
        if plan is None:
            raise refusal
        return plan

    # The fastest plan in one order; levels: Levels or LevelSearch with the plans of levels.
    def _fastest(self, order, levels):
        known = ((level, levels.model(level)) for level in (SPEED, BALANCED, RAM))
        model, cycles = fastest(order.plans, self._limits.budget, known)
        return order.plans.final(model), cycles

    def as_planned(self, model):
        """Return a model that keeps TFLM's plan, with the fastest weight layouts in it."""
        return self._as_planned(model)[0]

    # (as_planned(), its extra cycles).
    def _as_planned(self, model):
        if not self._can_be_planned:
            return model, 0
        if not isinstance(model, Graph):  # no optimization pass has run
            model = Graph(model)
        arena = self._plans.head_bytes(model)
        faster, cycles = with_fastest_layouts(self._plans, model, arena)
        return with_finer_layouts(self._plans, faster, arena), cycles

    def is_quick(self, level):
        """Return False if a level takes so long to find that only a request for it justifies that.

        How long RAM takes is known only after the search, so the search is done here.
        """
        if level != RAM or not self._can_be_planned or level in self._plans_of_levels:
            return True
        operators = len(self._plans.model.running()[0].nodes)
        if operators * len(self._orders) > _MAX_QUICK_OPERATORS:
            return False
        self.model(LARGER_LEVEL[level])
        counters = [order.plans.search.tensors for order in self._orders]
        remaining = MAX_TENSORS - sum(tensors.count for tensors in counters)
        for tensors in counters:
            tensors.limit = tensors.count + remaining
        with suppress(SearchLimitReached):
            self.model(level)
        for tensors in counters:
            tensors.limit = inf
        return level in self._plans_of_levels

    def is_of_use(self, level):
        """Return True if a level needs less RAM, or fewer estimated cycles, than OFF."""
        model, extra_cycles = self.model(level)
        head, cycles = self.off()
        is_smaller = self._plans.head_bytes(model) < head
        return is_smaller or self.base_cycles() + extra_cycles < cycles

    def off(self):
        """Return (head bytes, estimated cycles) of OFF. Of the other levels, only SPEED may need
        more bytes.
        """
        if self._off is None:
            model, extra_cycles = self._as_planned(self._off_model)
            self._off = self._plans.head_bytes(model), self.base_cycles() + extra_cycles
        return self._off
