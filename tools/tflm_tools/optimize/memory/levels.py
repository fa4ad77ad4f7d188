# tflm_tools: the levels of `tflm flatten --optimize`: how much time the RAM that is saved may cost
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from dataclasses import dataclass

from ...model.graph import Graph
from ...plan.overlap import may_overlap
from .fusion import apply
from .order import reordered
from .room import refined, with_stored
from .search import Search
from .weights import miss_of

SPEED, BALANCED, RAM, OFF = "speed", "balanced", "ram", "off"
LEVELS = (RAM, BALANCED, SPEED, OFF)

# The share of a model's cycles that its chains in bands may cost, by estimate.
_SHARES = {BALANCED: 0.03, RAM: 1.0}
# The share of the arena that bands have to leave, to be worth cycles.
_LEFT = {BALANCED: 0.9}
# How much larger than with small blocks the arena may be, for weights that are fetched once.
_GROWTH = {SPEED: 1.5}
_SMALL = 8192  # an arena that need not be smaller for their sake
_AFTER = {BALANCED: SPEED, RAM: BALANCED}  # levels that need no less
# Limits that are tried, of the least one, and the share of each that regions may need: where they
# leave some, a plan of all may come out smaller.
_WIDER = ((1.0, 1.0), (1.0, 0.94), (1.12, 1.0), (1.25, 1.0))
_TRIES = 4  # least ones, until all together keep to one


@dataclass
class LevelSize:
    """What a level comes to: bytes of arena and flash, and cycles of a Cortex-M0+ by estimate."""

    level: str
    arena_bytes: int
    flat_bytes: int
    cycles: int
    bands: list[tuple[int, int]]  # first and last operator of each chain in bands


class Levels:
    """Plans of one model at each level.

    model: a TfliteModel, or a Graph, which stays as it is. prepare(model) gives its RomStorage.
    """

    def __init__(self, model, prepare, target=None, packing=None, miss=None):
        self._model = copy.copy(model) if isinstance(model, Graph) else Graph(model)
        self._fits = may_overlap(self._model)
        self._plain_model = copy.copy(self._model)
        self._plain_model.overlap = False
        self._off = None
        self._model.overlap = self._fits
        self._prepare = prepare
        self._storages = {}  # id of a model: (the model, its RomStorage)
        self._banded = {}  # what runs in bands, and how: the model
        if self._fits:
            self._model = self._in_better_order()
        self._options = target, packing, miss
        self._miss = miss_of(target, miss)
        self._search = None
        self._known = {}
        self._speed = None

    def prepared(self, model):
        """The RomStorage of a model that is one of these; each is prepared once."""
        if id(model) not in self._storages:
            self._storages[id(model)] = model, self._prepare(model)
        return self._storages[id(model)][1]

    def size(self, level, image):
        """The LevelSize of a level; image(model) gives the bytes of its .tflm and its arena."""
        model, cycles = self.model(level)
        flat_bytes, arena_bytes = image(model)
        chains = [chain.nodes for chain in getattr(model, "chains", ())]
        bands = [(nodes[0].index, nodes[-1].index) for nodes in chains]
        return LevelSize(level, arena_bytes, flat_bytes, self.base_cycles() + cycles, bands)

    # The model with its operators in the order that needs least, once all is planned.
    def _in_better_order(self):
        other = reordered(self._model)
        if other is None:
            return self._model
        return min(self._model, other, key=self._head)

    # The search in the model as it is.
    def _plain(self):
        if self._search is None:
            self._search = Search(self._model, *self._options)
        return self._search

    def base_cycles(self):
        """Estimated cycles of the model on a Cortex-M0+, nothing in bands."""
        if not self._fits:
            return 0
        return self._plain().base_cycles

    def model(self, level):
        """(the Graph that a level other than OFF makes, extra cycles by estimate)."""
        model, cycles = self._level(level)
        if level != SPEED or not self._fits:
            return model, cycles
        if self._speed is None:
            room = _GROWTH[SPEED] * self._head(self._model)
            self._speed = self._refined(model, max(room, self._head(model)))
        return self._speed, cycles

    # Bytes of the arena's head that a model needs.
    def _head(self, model):
        return self.prepared(model).head_bytes

    # The same before room that is left goes to weights.
    def _level(self, level):
        if level not in self._known:
            self._known[level] = self._made(level)
        return self._known[level]

    # A model whose weights are stored faster in an arena of `most` bytes, or the same.
    def _refined(self, model, most):
        return refined(model, self._plain(), self.prepared, most, self._miss)

    # The smallest of what may run in bands that costs no more than the level may, with what its
    # weights take longer in a smaller arena.
    def _made(self, level):
        if not self._fits:
            return self._model, 0
        most = _SHARES.get(level, 0) * self._plain().base_cycles
        if level == BALANCED:
            most += self._level(SPEED)[1]
        # Before this search, which learns from plans: nothing depends on who asks first.
        after = self._level(_AFTER[level]) if level in _AFTER else None
        for graph, cycles, head in self._in_bands(level):
            room = head * _GROWTH.get(level, 1)
            if level == BALANCED:
                room = max(room, min(_SMALL, self.off()[0]))
            elif level != RAM:
                room = max(room, _SMALL)
            if after is not None:
                limit = self._head(after[0])
                if head > limit:
                    return after
                room = min(room, limit)
            made, more = with_stored(graph, self._plain(), self.prepared, room)
            if cycles + more <= most:
                break
        return made, cycles + more

    # [(Graph, extra cycles, bytes of arena)] with chains in bands, as far as a level may, from the
    # smallest to the model without any.
    def _in_bands(self, level):
        whole = self._model, 0, self._head(self._model)
        if level not in _SHARES:
            return [whole]
        search = self._plain()
        most = _SHARES[level] * search.base_cycles
        found = {}
        for _ in range(_TRIES):
            first = search.cheapest(whole[2], most)
            if first is None or self._keeps_to(first, found):
                break
        for wider, share in _WIDER if first is not None else ():
            fusion = search.within(int(first.arena * wider), None, share)
            if fusion is not None:
                self._keeps_to(fusion, found)
        found = [each for each in found.values() if each[2] < _LEFT.get(level, 1) * whole[2]]
        return [*sorted(found, key=lambda each: (each[2], each[1])), whole]

    # Add what a Fusion makes to `found`, as _in_bands() has it, if anything runs in bands. False
    # when all of it together needs more than the Fusion says, and the search has learnt of which
    # regions: what lies around a region may leave it no such place as it has alone.
    def _keeps_to(self, fusion, found):
        key = tuple((p.region.first, p.region.last, p.height, p.pace) for p in fusion.chains)
        if not key:
            return True
        if key not in self._banded:
            self._banded[key] = apply(self._model, fusion)
        graph = self._banded[key]
        storage = self.prepared(graph)
        found.setdefault(key, (graph, fusion.cycles, storage.head_bytes))
        if storage.head_bytes <= fusion.arena:
            return True
        tops = [_top(graph, storage, chain) for chain in graph.chains]
        for progress, top in zip(fusion.chains, tops, strict=True):
            if top > fusion.arena:
                self._plain().edges.note(progress, top)
        return max(tops) <= fusion.arena

    def as_planned(self, model):
        """A model that keeps TFLM's plan, its weights stored as is fastest in that."""
        return self._as_planned(model)[0]

    # (that model, cycles that another arena would save).
    def _as_planned(self, model):
        if not self._fits:
            return model, 0
        most = self._head(model)
        made, cycles = with_stored(model, self._plain(), self.prepared, most)
        return self._refined(made, most), cycles

    def is_of_use(self, level):
        """True when a level needs less RAM, or fewer cycles by estimate, than OFF."""
        model, more = self.model(level)
        head, cycles = self.off()
        return self._head(model) < head or self.base_cycles() + more < cycles

    def off(self):
        """What OFF comes to: (bytes of the head, estimated cycles).

        Of the other levels only SPEED may need more bytes.
        """
        if self._off is None:
            model, more = self._as_planned(self._plain_model)
            self._off = self._head(model), self.base_cycles() + more
        return self._off


# The end of what lies highest in the arena while a chain runs.
def _top(model, storage, chain):
    ran = set(map(id, chain.nodes))
    steps = [i for i, node in enumerate(model.running()[0].nodes, 1) if id(node) in ran]
    buffers = [*storage.tensors.values(), *storage.scratch_buffers]
    return max(b.offset + b.size for b in buffers if b.first <= steps[-1] and b.last >= steps[0])
