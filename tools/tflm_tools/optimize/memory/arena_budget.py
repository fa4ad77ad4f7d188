# tflm_tools: finds the fastest plan of a model for --arena-budget, an arena of a given size
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from tflm.errors import UnsupportedError

from .part_arena import DRAFT_TOLERANCE
from .planned_graphs import MAX_TRIES
from .search.shortest_path import MIN_STEP
from .weights.spend_slack import with_fastest_layouts, with_finer_layouts

# Limits for bands as shares of the arena, in the order of tries. Weights use what a limit leaves.
# Seven more limits saved at most 0.5 % of the cycles, and took a third more time (ablation.csv).
_LIMITS = 1.0, 0.94, 0.88, 0.75
_SAVABLE_FACTOR = 1.25  # of the cycles that weights may save with more scratch, which is estimated


def fastest(plans, arena, levels):
    """Return (Graph, extra cycles) of the fastest plan that is found for an arena.

    plans: a PlannedGraphs. arena: bytes. levels: yields (level, (Graph, extra cycles)), the
    smallest one last. Raises UnsupportedError if no plan that is found fits.

    1. Choose layouts for the model without bands. If these are the fastest ones, stop.
    2. Otherwise try bands.
    3. If nothing fits, try the levels, the smallest plan of all, and bands again.
    """
    unbanded = plans.prepared(plans.model)
    max_head = arena - (unbanded.arena_bytes - unbanded.head_bytes)
    found = _fitting(plans, max_head, [(plans.model, 0)])
    if not found or found[0][1] > 0:
        found += _banded(plans, max_head, found)
    if not found:
        known = dict(levels)
        if all(plans.head_bytes(model) > max_head for model, _ in known.values()):
            known[""] = _smallest(plans, *list(known.values())[-1])
        found += [each for each in known.values() if plans.head_bytes(each[0]) <= max_head]
        if not found:
            smallest, option = _smallest_arena(plans, known)
            raise UnsupportedError(
                f"no plan of this model keeps to {arena} bytes of arena, the least needs "
                f"{smallest} ({option}); allow that, let the input come by rows "
                "(--input-by-rows), or use a smaller model"
            )
        found += _banded(plans, max_head, found)
    model, cycles = min(found, key=lambda each: (each[1], plans.head_bytes(each[0])))
    return with_finer_layouts(plans, model, max_head), cycles


# [(Graph, extra cycles)] of graphs with the fastest layouts that fit `max_head` bytes. A graph
# that is not faster than `max_cycles`, or than one before it, is left out.
def _fitting(plans, max_head, graphs, max_cycles=inf):
    fitting = []
    for graph, cycles in graphs:
        model, more = with_fastest_layouts(plans, graph, max_head, max_cycles - cycles)
        if plans.head_bytes(model) <= max_head:
            fitting.append((model, cycles + more))
            max_cycles = min(max_cycles, cycles + more)
    return fitting


# [(Graph, extra cycles)] in bands that fit, and may be faster than `known`.
def _banded(plans, max_head, known):
    drafts, fitting = {}, []
    for limit in _LIMITS:
        for _ in range(MAX_TRIES):
            best = min((cycles for _, cycles in known + fitting), default=inf)
            plan = plans.search.within(int(limit * max_head))
            if plan is None:
                break
            if plan.cycles - _SAVABLE_FACTOR * plan.savable_cycles(max_head) > best:
                break
            before = len(drafts)
            is_confirmed = plans.check(plan, drafts)
            for graph, cycles, head in list(drafts.values())[before:]:
                if head <= max_head:
                    fitting += _fitting(plans, max_head, [(graph, cycles)], best)
            if is_confirmed:
                break
    within = [cycles for _, cycles, head in drafts.values() if head <= max_head]
    near = [
        (graph, cycles)
        for graph, cycles, head in drafts.values()
        if max_head < head <= DRAFT_TOLERANCE * max_head and cycles < min(within, default=inf)
    ]
    return fitting + _fitting(plans, max_head, _cheapest_final(plans, max_head, near))


# [the cheapest of some drafts (Graph, extra cycles) whose final plan fits], or [].
def _cheapest_final(plans, max_head, drafts):
    for draft, cycles in sorted(drafts, key=lambda each: each[1]):
        graph = plans.final(draft)
        if plans.head_bytes(graph) <= max_head:
            return [(graph, cycles)]
    return []


# (Graph, extra cycles) of the smallest plan, for any cycles; `model` if none is smaller.
def _smallest(plans, model, cycles):
    found = {None: (model, cycles, plans.head_bytes(model))}
    plans.smallest(plans.head_bytes(model), None, MIN_STEP, found)
    return min(found.values(), key=lambda each: each[2])[:2]


# (arena of the smallest known plan, the option that gives it). known: {level: (Graph, cycles)}.
def _smallest_arena(plans, known):
    sizes = {level: plans.prepared(model).arena_bytes for level, (model, _) in known.items()}
    smallest = min(sizes.values())
    levels = [level for level, size in sizes.items() if level and size == smallest]
    return smallest, f"--optimize {levels[-1]}" if levels else f"--arena-budget {smallest}"
