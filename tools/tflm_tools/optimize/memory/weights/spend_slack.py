# tflm_tools: spends unused bytes of the arena on faster weight layouts, which need more scratch
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from math import inf

from .layouts import weight_cycles

# With 1.0 only, weights cost up to 13.7 % more cycles; with four shares, mlperf_resnet8 at `ram`
# needs 12.1 % more bytes.
_OPERATOR_SHARES = (1.0, 0.92, 0.88, 0.84, 0.76, 0.68, 0.6)  # of an arena, for a single operator

# In all functions, `plans` is the PlannedGraphs that a model belongs to.


def in_first_arena(plans, model, arenas, max_extra_cycles, or_last=False):
    """Return with_fastest_layouts() for the first of some arena sizes that is fast enough.

    That is, with at most `max_extra_cycles`; else for the last size. or_last: with any number of
    extra cycles for the last size.
    """
    for arena in arenas:
        limit = inf if or_last and arena == arenas[-1] else max_extra_cycles
        result = with_fastest_layouts(plans, model, arena, limit)
        if result[1] <= max_extra_cycles:
            break
    return result


def with_fastest_layouts(plans, model, arena, max_extra_cycles=inf, is_fine=False):
    """Return (the model with the fastest layouts for an arena of `arena` bytes, extra cycles).

    The model itself is returned if no layouts fit. extra cycles: how many a larger arena would
    save. max_extra_cycles: layouts with more extra cycles are not tried. is_fine: consider also
    layouts that save few cycles for their bytes.

    1. For each share of the arena, choose the fastest layouts with which no operator by itself
       needs more than the share: from the fastest candidate to the smallest.
    2. Plan the smallest candidate. If it does not fit, the others would not either.
    3. Take the first candidate whose plan fits.
    """
    nodes, split_operators = _nodes_outside_chains(model, plans.search)
    layout_search = plans.search.layout_search
    live_bytes = None if model.chains is None else layout_search.live_bytes(model)
    candidates = []
    for share in _OPERATOR_SHARES:
        layouts, extra = layout_search.within(nodes, share * arena, arena, is_fine)
        if live_bytes is not None:
            in_chains, more = layout_search.in_banded_model(
                model, split_operators, share * arena, live_bytes
            )
            layouts.update(in_chains)
            extra += more
        if extra > max_extra_cycles:  # smaller shares are slower
            break
        if layouts and (not candidates or layouts != candidates[-1][0]):
            candidates.append((layouts, extra))

    def fits(candidate):
        return plans.head_bytes(plans.with_layouts(model, candidate[0])) <= arena

    if candidates and fits(candidates[-1]):
        layouts, extra = next(filter(fits, candidates))
        return plans.with_layouts(model, layouts), extra
    return model, layout_search.extra_cycles_as_stored(nodes, model.layouts)


def with_finer_layouts(plans, model, arena):
    """Return a model with faster layouts in an arena of `arena` bytes, or the same model.

    Unlike with_fastest_layouts(), a layout may save few cycles for its bytes of scratch.
    """
    if not plans.miss:
        return model
    finer, _ = with_fastest_layouts(plans, model, arena, is_fine=True)
    return min(model, finer, key=lambda each: _weight_cycles(plans.prepared(each), plans.miss))


def copy_with_layouts(model, layouts, storage):
    """Return a copy of a model with other layouts for some operators.

    storage: the model's RomStorage. The copy's plan starts from the order of buffers there; a
    draft need not become smaller than the model's plan.
    """
    other = copy.copy(model)
    merged = {**model.layouts, **layouts}
    other.layouts = {number: layout for number, layout in merged.items() if layout is not None}
    other.buffer_order, other.enough_bytes = storage.buffer_order, storage.head_bytes
    return other


# The nodes of a model outside chains: (nodes that the unbanded model has, too; for each other
# operator a list of the nodes that it was split into).
def _nodes_outside_chains(model, search):
    if model.chains is None:
        return search.nodes, []
    chained = {node.index for chain in model.chains for node in chain.nodes}
    unbanded, nodes_of = set(map(id, search.nodes)), {}
    for node in model.running()[0].nodes:
        if node.index not in chained:
            nodes_of.setdefault((node.index, node.builtin_code), []).append(node)
    single = [n[0] for n in nodes_of.values() if len(n) == 1 and id(n[0]) in unbanded]
    singles = set(map(id, single))
    return single, [nodes for nodes in nodes_of.values() if id(nodes[0]) not in singles]


# Cycles of the weights of a prepared model, about.
def _weight_cycles(storage, miss):
    return sum(weight_cycles(record, miss) for record in storage.records)
