# tflm_tools: what the room in an arena goes to: weights stored so that they take less time
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from math import inf

from .weights import cycles_of

_LIMITS = (1.0, 0.92, 0.88, 0.84, 0.76, 0.68, 0.6)  # of an arena: what one operator may need


def with_stored(model, search, prepare, most, enough=inf):
    """A model whose weights are stored as is fastest in an arena of `most` bytes, or the same.

    prepare(model) gives its RomStorage. Returns (model, cycles that another arena would save).
    enough: where these are more, nobody asks for it.
    """
    nodes, several = _by_themselves(model, search)
    before = None
    for share in _LIMITS:
        stored, cycles = search.storing.within(nodes, share * most, most)
        if hasattr(model, "chains"):
            in_slots, more = search.storing.in_slots(model, several, share * most)
            stored.update(in_slots)
            cycles += more
        if cycles > enough:  # smaller limits take longer
            break
        if not stored or stored == before:
            continue
        before = stored
        made = _with(model, stored, prepare)
        if prepare(made).head_bytes <= most:
            return made, cycles
    return model, search.storing.as_stored(nodes, getattr(model, "stored", {}))


def refined(model, search, prepare, most, miss):
    """A model whose weights are stored faster in an arena of `most` bytes, or the same.

    However little a byte saves. prepare(model) gives its RomStorage; miss: see weights.py.
    """
    before = _fetching(prepare(model), miss)
    (nodes, _), tried = _by_themselves(model, search), {}
    for share in _LIMITS if before else ():
        stored, _ = search.storing.within(nodes, share * most, most, True)
        if stored == tried:
            continue
        made, tried = _with(model, stored, prepare), stored
        storage = prepare(made)
        if storage.head_bytes <= most and _fetching(storage, miss) < before:
            return made
    return model


# A model with some weights stored otherwise, which is planned like that one to begin with.
def _with(model, stored, prepare):
    made = copy.copy(model)
    made.stored = {**getattr(model, "stored", {}), **stored}
    made.order = prepare(model).order
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
