# tflm_tools: what the room in an arena goes to: weights stored so that they take less time
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from math import inf

from .weights import cycles_of

_LIMITS = (1.0, 0.92, 0.88, 0.84, 0.76, 0.68, 0.6)  # of an arena: what one operator may need


def with_stored(plans, model, most, enough=inf):
    """A model whose weights are stored as is fastest in an arena of `most` bytes, or the same.

    plans: the Plans that it is of. Returns (model, cycles that another arena would save). enough:
    where these are more, nobody asks for it.
    """
    return _with_stored(plans, model, most, enough)[0]


def in_first_of(plans, model, rooms, enough, or_any=False):
    """with_stored() in the first room, bytes of arena, in which these cycles are `enough` or less.

    In the last one where they are in none; or_any: as few as can be there. A room is passed over
    that is known to be too small.
    """
    rooms, least = list(dict.fromkeys(rooms)), 0
    for room in rooms:
        is_last = or_any and room == rooms[-1]
        if room >= least or is_last:
            made, least = _with_stored(plans, model, room, inf if is_last else enough)
            if made[1] <= enough:
                break
    return made


# (what with_stored() gives, bytes that the way with least scratch needs).
def _with_stored(plans, model, most, enough):
    nodes, several = _by_themselves(model, plans.search)
    storing = plans.search.storing
    used = storing.used(model) if hasattr(model, "chains") else None
    ways = []  # from the fastest to what needs least
    for share in _LIMITS:
        stored, cycles = storing.within(nodes, share * most, most)
        if used is not None:
            in_slots, more = storing.in_slots(model, several, share * most, used)
            stored.update(in_slots)
            cycles += more
        if cycles > enough:  # smaller limits take longer
            break
        if stored and (not ways or stored != ways[-1][0]):
            ways.append((stored, cycles))

    def head(way):
        return plans.head(plans.stored_as(model, way[0]))

    # Where not even the last one fits, plans of all of them would only take long.
    least = head(ways[-1]) if ways else 0
    if ways and least <= most:
        stored, cycles = next(way for way in ways if head(way) <= most)
        return (plans.stored_as(model, stored), cycles), least
    return (model, storing.as_stored(nodes, getattr(model, "stored", {}))), least


def refined(plans, model, most):
    """A model whose weights are stored faster in an arena of `most` bytes, or the same.

    However little a byte saves. plans: the Plans that it is of.
    """
    before = _fetching(plans.prepared(model), plans.miss)
    (nodes, _), tried = _by_themselves(model, plans.search), {}
    for share in _LIMITS if before else ():
        stored, _ = plans.search.storing.within(nodes, share * most, most, True)
        if stored == tried:
            continue
        made, tried = plans.stored_as(model, stored), stored
        storage = plans.prepared(made)
        if storage.head_bytes <= most and _fetching(storage, plans.miss) < before:
            return made
    return model


def stored_as(model, stored, storage):
    """A model with some weights stored otherwise, planned like that one, its RomStorage, at first.

    A draft of it is done where it takes no more than that one.
    """
    made = copy.copy(model)
    ways = {**getattr(model, "stored", {}), **stored}
    made.stored = {number: way for number, way in ways.items() if way is not None}
    made.order, made.enough = storage.order, storage.head_bytes
    return made


# The nodes of a model that are in no chain: (those that are what they are in the model as it is
# written, [the parts of each of the others]).
def _by_themselves(model, search):
    if not hasattr(model, "chains"):
        return search.nodes, []
    chained = {node.index for chain in model.chains for node in chain.nodes}
    known, found = set(map(id, search.nodes)), {}
    for node in model.running()[0].nodes:
        if node.index not in chained:
            found.setdefault((node.index, node.builtin_code), []).append(node)
    alone = [parts[0] for parts in found.values() if len(parts) == 1 and id(parts[0]) in known]
    written = set(map(id, alone))
    return alone, [parts for parts in found.values() if id(parts[0]) not in written]


# Cycles that the weights of a prepared model take, about.
def _fetching(storage, miss):
    return sum(cycles_of(record, miss) for record in storage.records)
