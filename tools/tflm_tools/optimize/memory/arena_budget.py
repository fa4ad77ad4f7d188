# tflm_tools: finds the fastest plan of a model for --arena-budget, an arena of a given size
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from tflm.errors import UnsupportedError

from ...arena.planner import ALIGNMENT
from .level_search import ARENA_FACTORS
from .planned_graphs import MAX_TRIES
from .weights.spend_slack import with_fastest_layouts, with_finer_layouts


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
    found = _fitting(plans, max_head, plans.model)
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


# [(Graph, extra cycles)] of a graph with the fastest layouts that fit `max_head` bytes; [] if none
# do. max_cycles: slower layouts are not tried.
def _fitting(plans, max_head, graph, cycles=0, max_cycles=inf):
    model, more = with_fastest_layouts(plans, graph, max_head, max_cycles - cycles)
    return [(model, cycles + more)] if plans.head_bytes(model) <= max_head else []


# [(Graph, extra cycles)] in bands that fit, and may be faster than `known`. Limits for bands are
# below the arena by ARENA_FACTORS: weights use what a limit leaves.
def _banded(plans, max_head, known):
    drafts, fitting = {}, []
    for factor in ARENA_FACTORS:
        for _ in range(MAX_TRIES):
            best = min((cycles for _, cycles in known + fitting), default=inf)
            plan = plans.search.within(int(max_head / factor))
            if plan is None or plan.cycles - plan.savable_cycles(max_head) > best:
                break
            before = len(drafts)
            is_confirmed = plans.check(plan, drafts)
            for graph, cycles, head in list(drafts.values())[before:]:
                if head <= max_head:
                    fitting += _fitting(plans, max_head, graph, cycles, best)
            if is_confirmed:
                break
    return fitting


# (Graph, extra cycles) of the smallest plan, for any cycles; `model` if none is smaller.
def _smallest(plans, model, cycles):
    found = {None: (model, cycles, plans.head_bytes(model))}
    plans.smallest(plans.head_bytes(model), None, ALIGNMENT, found)
    return min(found.values(), key=lambda each: each[2])[:2]


# (arena of the smallest known plan, the option that gives it). known: {level: (Graph, cycles)}.
def _smallest_arena(plans, known):
    sizes = {level: plans.prepared(model).arena_bytes for level, (model, _) in known.items()}
    smallest = min(sizes.values())
    levels = [level for level, size in sizes.items() if level and size == smallest]
    return smallest, f"--optimize {levels[-1]}" if levels else f"--arena-budget {smallest}"
