# tflm_tools: LevelSearch: the plans of a model at each level, with its operators in one order
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from ...arena.planner import ALIGNMENT
from .part_arena import DRAFT_TOLERANCE
from .search.edge import CycleLimit
from .search.shortest_path import STEP
from .weights.spend_slack import in_first_arena, with_finer_layouts

SPEED, BALANCED, RAM, OFF = "speed", "balanced", "ram", "off"
BUDGET = "budget"  # the plan for --arena-budget; not a choice of --optimize

# The policy of the levels. "Cycles" are extra cycles of bands and weights, as a share of all
# cycles of the model; "arena" is its head.
MAX_SLOWDOWN = 0.03  # cycles that BALANCED may cost
MAX_ARENA_SHARE = 0.9  # of the unbanded arena: BALANCED spends no cycles for larger arenas
_SMALL_ARENA = 8192  # bytes that weights may use at SPEED and BALANCED in any model
LARGER_LEVEL = {BALANCED: SPEED, RAM: BALANCED}  # each level needs no more than this one
# Arenas for weights, times the smallest one. Only BALANCED without bands tries the last factor.
# The arena of SPEED may grow by it for weights that are fetched once.
ARENA_FACTORS = 1, 1.12, 1.25, 1.5
# TemporaryTensors of a long search. After that, it stops at a plan that needs no more bytes than
# every plan, although another one may cost fewer cycles. RAM is reported only if its search makes
# fewer.
MAX_TENSORS = 40_000


class LevelSearch:
    """The plans of one order of operators at SPEED, BALANCED and RAM.

    plans: a PlannedGraphs that no other search uses. off: (head bytes, cycles) of OFF.

    For each level (_find()):
    1. Find the plan of the larger level, whose arena is a limit.
    2. Find graphs in bands near the smallest arena (_banded_graphs()); at last, take the model
       without bands.
    3. For each graph, the smallest one first, choose weight layouts in slightly larger arenas,
       until bands and weights together cost no more than the level may.
    4. Stop as soon as no further graph can need a smaller arena.
    Plans are drafts until a level is requested by model().
    """

    def __init__(self, plans, off):
        self.plans, self._off = plans, off
        self._drafts = {}  # level: (Graph, extra cycles)
        self._max_head = inf  # bytes; graphs that need as many are of no use

    def model(self, level, max_head=inf):
        """Return (the Graph of SPEED, BALANCED or RAM, its extra cycles).

        max_head: bytes of another plan; a plan that is not smaller is of no use.
        """
        self._max_head = max_head
        model, cycles = self._draft(level)
        head_bytes = self.plans.head_bytes
        if level == SPEED:
            arena = max(ARENA_FACTORS[-1] * head_bytes(self.plans.model), head_bytes(model))
            model = with_finer_layouts(self.plans, model, arena)
        result = self.plans.final(model), cycles
        # Drafts were compared; in the end, the larger level may need less.
        if level in LARGER_LEVEL:
            larger = head_bytes(self._draft(LARGER_LEVEL[level])[0])
            if larger <= DRAFT_TOLERANCE * head_bytes(result[0]):
                others = result, self.model(LARGER_LEVEL[level], max_head)
                result = min(others, key=lambda each: head_bytes(each[0]))
        return result

    def min_head(self, level):
        """Return bytes that every plan in bands needs, within the cycles of a level."""
        unbanded = self.plans.head_bytes(self.plans.model)
        return self.plans.search.min_arena(unbanded, self._cycles_for_bands(level))

    def is_done(self, level, head):
        """Return True if the search was long, and no plan of a level has under `head` bytes."""
        count = self.plans.search.tensors.count
        return count > MAX_TENSORS and head <= self.min_head(level)

    # model() without the layouts and the search for an order that a final plan gets.
    def _draft(self, level):
        if level not in self._drafts:
            self._drafts[level] = self._find(level)
        return self._drafts[level]

    # (the smallest Graph that costs no more than the level may, its extra cycles).
    def _find(self, level):
        max_cycles = self._max_cycles(level)
        # Step 1 comes first, because searches correct what they know: the result must not depend
        # on which level is requested first.
        larger = self._draft(LARGER_LEVEL[level]) if level in LARGER_LEVEL else None
        found, seen, result = [], set(), None

        def best_head():
            return min((self._size(each)[0] for each in found), default=inf)

        def best(default):
            return min(found, key=self._size) if found else default

        for graphs, is_all in self._banded_graphs(level, best_head):
            for graph, cycles, head in graphs:
                if head >= self._max_head and level != SPEED:  # other levels start from SPEED
                    return best((self.plans.model, 0))
                if larger is not None and head > self.plans.head_bytes(larger[0]):
                    return best(larger)
                if head >= best_head():
                    break
                if graph not in seen:
                    seen.add(graph)
                    arenas = self._layout_arenas(level, graph, head, larger)
                    arenas = [min(arena, best_head()) for arena in arenas]
                    is_unbanded = graph is self.plans.model
                    model, more = in_first_arena(
                        self.plans, graph, arenas, max_cycles - cycles, or_last=is_unbanded
                    )
                    result = model, cycles + more
                    if result[1] <= max_cycles:
                        found.append(result)
            if found and (is_all or best_head() <= graphs[0][2]):
                return min(found, key=self._size)
        return result

    # Extra cycles that a level may cost.
    def _max_cycles(self, level):
        cycles = self._cycles_for_bands(level)
        return cycles + self._draft(SPEED)[1] if level == BALANCED else cycles

    # Extra cycles that a level may cost in addition to SPEED. RAM may cost the same on all
    # targets; on some, whose kernels are faster, that is more than all other cycles.
    def _cycles_for_bands(self, level):
        search = self.plans.search
        if level == RAM:
            return search.reference_cycles
        return MAX_SLOWDOWN * search.base_cycles if level == BALANCED else 0

    # (head bytes, extra cycles) of (Graph, extra cycles).
    def _size(self, plan):
        return self.plans.head_bytes(plan[0]), plan[1]

    # Bytes of arena that the weights of a Graph may use, from the smallest on. head: what it needs
    # with as little scratch as possible. larger: plan of the larger level, whose arena is a limit.
    def _layout_arenas(self, level, graph, head, larger):
        factor = ARENA_FACTORS[-1] if level == SPEED else 1
        arena = max(head * factor, self._min_layout_arena(level))
        limit = arena if larger is None else self.plans.head_bytes(larger[0])
        is_unbanded = graph is self.plans.model
        if is_unbanded and level == BALANCED:
            limit = max(arena, min(limit, self._off()[0]))
        factors = ARENA_FACTORS[:-1]
        if is_unbanded:
            factors = ARENA_FACTORS if level == BALANCED else (1,)
        return dict.fromkeys(min(factor * arena, limit) for factor in factors)

    # Bytes of arena that weights may use at a level, even if the model needs fewer.
    def _min_layout_arena(self, level):
        if level == BALANCED:
            return min(_SMALL_ARENA, self._off()[0])
        return 0 if level == RAM else _SMALL_ARENA

    # Yields ([(Graph, extra cycles, head bytes)], whether these are all Graphs of step 2). The
    # cycles of weights in a small arena are not counted. best_head(): bytes of the best plan.
    def _banded_graphs(self, level, best_head):
        unbanded = self.plans.head_bytes(self.plans.model)
        if level != SPEED:
            max_head = min(
                (MAX_ARENA_SHARE if level == BALANCED else 1) * unbanded, self._max_head
            )
            searches = [(self._cycles_for_bands(level), ARENA_FACTORS[2])]
            if level == RAM and self.plans.miss > 0:  # first, any cycles that more arena may save
                searches.insert(0, (inf, ARENA_FACTORS[1]))
            for max_cycles, factor in searches:
                limits = min(unbanded, self._max_head), max_cycles, factor
                for graphs, is_all in self._graphs_within(level, *limits, best_head):
                    graphs = [each for each in graphs if each[2] < max_head]
                    yield sorted(graphs, key=lambda each: (each[2], each[1])), is_all
        yield [(self.plans.model, 0, unbanded)], True

    # _banded_graphs() with less than `largest` bytes, in any order, whose bands cost at most
    # `max_cycles`. Weights may use `factor` times the arena.
    def _graphs_within(self, level, largest, max_cycles, factor, best_head):
        cycle_limit = CycleLimit(self._max_cycles(level), factor, self._min_layout_arena(level))
        found, step = {}, STEP
        if level == RAM:  # more exactly: a share of the arena without bands
            unbanded = self.plans.head_bytes(self.plans.model)
            step = min(STEP, max(ALIGNMENT, unbanded // STEP))
        plan = self.plans.smallest(largest, max_cycles, step, found, cycle_limit)
        if plan is None:
            return
        enough = inf
        if plan.cycles > cycle_limit.cycles:
            yield found.values(), False
            # A plan that does not need a larger arena for its weights may be smaller in the end.
            found_without, largest = {}, min(largest, best_head())
            self.plans.smallest(largest, cycle_limit.cycles, step, found_without)
            enough = min((head for *_, head in found_without.values()), default=largest)
            found.update(found_without)
        # The whole model may exceed the last plan's limit, from which the search has learnt.
        # Larger limits are for weights that are too slow in the smallest arena.
        for factor in ARENA_FACTORS[:-1]:
            limit = int(plan.arena * factor)
            smallest = min((head for *_, head in found.values()), default=inf)
            if limit < enough and not self.is_done(level, smallest):
                other = self.plans.search.within(limit, None, cycle_limit)
                if other is not None:
                    self.plans.check(other, found)
            yield found.values(), factor == ARENA_FACTORS[-2]
