# tflm_tools: the fastest plan of a model in an arena of so many bytes, for --arena-budget
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from tflm.errors import UnsupportedError

from .search import LEAST_STEP

# Limits that are tried, of the one that is given, the share of each that regions may need, and
# whether weights in bands may use more than they need: what lies around a region may leave it
# less, or more, than it has alone, and what a limit leaves goes to weights. What one of them
# learns is known to the next ones, so that some come twice.
_LIMITS = (
    (1.0, 0.96, False), (1.0, 1.0, True), (1.0, 1.0, False), (0.97, 1.0, False),
    (0.94, 1.0, False), (0.88, 1.0, False), (0.75, 1.0, False), (1.01, 1.0, False),
    (1.05, 1.0, False), (1.0, 1.0, True), (0.97, 1.0, True),
)  # fmt: skip
_PLANS = 4  # for each of them
_SPARE = 1.25  # of what weights may take less with room: that is told about
_NEAR = 1.02  # of the bytes: what a draft takes may come from too few tries


def fastest(plans, arena, levels):
    """(Graph, extra cycles): the fastest one that is found, by estimate, with `arena` bytes.

    levels: (level, (Graph, extra cycles)) one by one, the smallest one last; they are asked for
    where nothing else is found. Raises UnsupportedError where the arena of no plan that is found
    keeps to it.
    """
    whole = plans.prepared(plans.model)
    most = arena - (whole.arena_bytes - whole.head_bytes)
    found = _stored(plans, most, [(plans.model, 0)])
    if not found or found[0][1] > 0:
        found += _in_bands(plans, most, found)
    if not found:
        known = dict(levels)
        if all(plans.head(model) > most for model, _ in known.values()):
            known[""] = _smallest(plans, *list(known.values())[-1])
        found += [each for each in known.values() if plans.head(each[0]) <= most]
        if not found:
            least, option = _least(plans, known)
            raise UnsupportedError(
                f"no plan of this model keeps to {arena} bytes of arena, the least needs {least} "
                f"({option}); allow that, let the input come by rows (--input-by-rows), or use a "
                "smaller model"
            )
        found += _in_bands(plans, most, found)
    model, cycles = min(found, key=lambda each: (each[1], plans.head(each[0])))
    return plans.refined(model, most), cycles


# [(Graph, extra cycles)] with weights stored as is fastest in `most` bytes, where these will do:
# those that may be the fastest, below `least` cycles.
def _stored(plans, most, graphs, least=inf):
    found = []
    for graph, cycles in graphs:
        made, more = plans.with_stored(graph, most, least - cycles)
        if plans.head(made) <= most:
            found.append((made, cycles + more))
            least = min(least, cycles + more)
    return found


# The same with chains in bands, where these may be faster than what is known.
def _in_bands(plans, most, known):
    drafts, found = {}, []
    for limit, share, is_wide in _LIMITS:
        for tries in range(_PLANS):
            least = min((cycles for _, cycles in known + found), default=inf)
            fusion = plans.search.within(
                int(limit * most), None, share, wide=most, is_wide=is_wide
            )
            if fusion is None or fusion.cycles - _SPARE * fusion.spare(most) > least:
                break
            before = len(drafts)
            keeps = plans.keeps_to(fusion, drafts, tries)
            for graph, cycles, head in list(drafts.values())[before:]:
                if head <= most:
                    found += _stored(plans, most, [(graph, cycles)], least)
            if keeps:
                break
    within = [cycles for _, cycles, head in drafts.values() if head <= most]
    near = [each[:2] for each in drafts.values() if most < each[2] <= _NEAR * most]
    near = [each for each in near if each[1] < min(within, default=inf)]
    return found + _stored(plans, most, _ended(plans, most, near))


# [The cheapest of these (Graph, extra cycles) that keeps to `most` bytes when planned to the end].
def _ended(plans, most, drafts):
    for draft, cycles in sorted(drafts, key=lambda each: each[1]):
        graph = plans.ended(draft)
        if plans.head(graph) <= most:
            return [(graph, cycles)]
    return []


# The (Graph, extra cycles) that needs least, however long it takes: `model` if nothing is smaller.
def _smallest(plans, model, cycles):
    found = {None: (model, cycles, plans.head(model))}
    plans.least(plans.head(model), None, LEAST_STEP, found)
    return min(found.values(), key=lambda each: each[2])[:2]


# (its arena, the option that makes it) of the smallest one; known: by their levels, what there is.
def _least(plans, known):
    sizes = {level: plans.prepared(model).arena_bytes for level, (model, _) in known.items()}
    least = min(sizes.values())
    named = [level for level, size in sizes.items() if level and size == least]
    return least, f"--optimize {named[-1]}" if named else f"--arena-budget {least}"
