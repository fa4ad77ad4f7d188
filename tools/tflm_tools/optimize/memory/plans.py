# tflm_tools: Plans: a model, and what it becomes with parts of it in bands, each planned once
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from math import inf

from .flash_cache import miss_of
from .fusion import apply
from .room import in_first_of, refined, stored_as, with_stored
from .search import Search

_TRIES = 9  # least ones, until all together keep to one
_ROUGH = 3  # the same where only room for weights makes it what a level may cost
_SINGLE = 5  # of these, that learn of one region only
_WORSE = 1.02  # of the bytes of what was found; limits beyond that lead to no smaller plan


class PreparedOnce:
    """prepare(model), which gives its RomStorage, once for each model."""

    def __init__(self, prepare):
        self._prepare = prepare
        self._storages = {}  # id of a model: (the model, its RomStorage)

    def __call__(self, model):
        if id(model) not in self._storages:
            self._storages[id(model)] = model, self._prepare(model)
        return self._storages[id(model)][1]


class Plans:
    """A Graph that may be planned anew, as `model`, and the Graphs that the search makes of it.

    prepared: PreparedOnce. miss: see weights.py.
    """

    def __init__(self, model, prepared, target=None, packing=None, miss=None):
        self.model = model
        self.prepared = prepared
        self._options = target, packing, miss
        self.miss = miss_of(target, miss)
        self._search = None
        self._ended = {}  # id of a draft: (it, what it became)
        self._banded = {}  # what runs in bands, and how: the model
        self._stored = {}  # id of a model, and how weights are stored: the same with these so

    def ended(self, draft):
        """A model that is one of these, its plan searched for to the end, from where it is."""
        if id(draft) not in self._ended:
            model = copy.copy(draft)
            model.is_draft, model.order = False, self.prepared(draft).order
            self._ended[id(draft)] = draft, model
        return self._ended[id(draft)][1]

    def head(self, model):
        """Bytes of the arena's head that a model needs."""
        return self.prepared(model).head_bytes

    @property
    def search(self):
        """The Search in the model, nothing in bands."""
        if self._search is None:
            self._search = Search(self.model, *self._options)
        return self._search

    def keeps_to(self, fusion, found, tries=_SINGLE):
        """Note what a Fusion makes, if anything runs in bands: (Graph, extra cycles, bytes).

        Under a key of its own in `found`, the bytes are those of the head. Returns False when all
        of it together needs more than the Fusion says, and the search has learnt of which regions:
        what lies around a region may leave it no such place as it has alone. In the first `tries`
        it learns of the highest one only, as others may lie high because of it, then of all. Where
        no region lies too high it learns of the operator that makes what does.
        """
        key = *fusion.edges, *fusion.forms, *fusion.stored.items()
        if not key:
            graph = self.model
        elif key not in self._banded:
            graph = self._banded[key] = apply(self.model, fusion)
        else:
            graph = self._banded[key]
        storage = self.prepared(graph)
        if key:
            found.setdefault(key, (graph, fusion.cycles, storage.head_bytes))
        if storage.head_bytes <= fusion.arena:
            return True
        ran = [chain.nodes for chain in getattr(graph, "chains", ())]
        ran += [[edge.of.nodes[edge.first]] for edge in fusion.narrow]
        tops = [_top(graph, storage, nodes) for nodes in ran]
        if max(tops, default=0) <= fusion.arena and self._learn_of_others(graph, storage):
            return False
        for edge, top in zip([*fusion.edges, *fusion.narrow], tops, strict=True):
            if top == max(tops) or top > fusion.arena and tries >= _SINGLE:
                # It may be too high only between its bands and the next ones.
                edge.of.learn(edge, max(top, fusion.arena + 1))
        return not tops

    # Note that the operator which makes what lies highest in a plan has no room by itself, with
    # what lies over each other before and behind it; False where that was known, or is no single.
    def _learn_of_others(self, graph, storage):
        buffers = [*storage.tensors.values(), *storage.scratch_buffers]
        highest = max(buffers, key=lambda b: (b.offset + b.size, -b.first))
        nodes, place = graph.running()[0].nodes, max(highest.first, 1) - 1
        if place >= len(nodes):  # an output that nothing writes
            return False
        return self.search.learn_of(nodes[place], storage.head_bytes)

    def least(self, most, cycles, step, found, room=None):
        """Search.cheapest(), until all together keeps to it or a number of tries is over.

        Or until its limit is above what was found. Notes in `found` what each makes, as keeps_to()
        does.
        """
        near = 0  # what the search has learnt makes nothing need less than before
        is_rough = room is not None and room.cycles < cycles  # weights will change it anyway
        for tries in range(_ROUGH if is_rough else _TRIES):
            fusion = self.search.cheapest(most, cycles, step, near, room)
            least = min((head for *_, head in found.values()), default=most)
            if fusion is None or fusion.arena > _WORSE * least:
                break
            if self.keeps_to(fusion, found, tries):
                break
            near = fusion.arena
        return fusion

    def with_stored(self, model, most, cycles=inf):
        """room.with_stored() for a model that is one of these."""
        return with_stored(self, model, most, cycles)

    def in_first_of(self, model, rooms, enough):
        """room.in_first_of() for a model that is one of these, `model` in any of them."""
        return in_first_of(self, model, rooms, enough, or_any=model is self.model)

    def refined(self, model, most):
        """room.refined() for a model that is one of these."""
        return refined(self, model, most)

    def stored_as(self, model, stored):
        """room.stored_as() for a model that is one of these; the same each time."""
        key = id(model), frozenset(stored.items())
        if key not in self._stored:
            self._stored[key] = stored_as(model, stored, self.prepared(model))
        return self._stored[key]


# The end of what lies highest in the arena while some nodes run.
def _top(model, storage, nodes):
    ran = set(map(id, nodes))
    steps = [i for i, node in enumerate(model.running()[0].nodes, 1) if id(node) in ran]
    buffers = [*storage.tensors.values(), *storage.scratch_buffers]
    return max(b.offset + b.size for b in buffers if b.first <= steps[-1] and b.last >= steps[0])
