# tflm_tools: the levels of `tflm flatten --optimize`: how much time the RAM that is saved may cost
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from dataclasses import dataclass

from ...model.graph import Graph
from ...plan.overlap import may_overlap
from .order import reordered
from .search import Search, apply

SPEED, BALANCED, RAM, OFF = "speed", "balanced", "ram", "off"
LEVELS = (RAM, BALANCED, SPEED, OFF)

# The share of a model's cycles that its chains in bands may cost, by estimate.
_SHARES = {BALANCED: 0.03, RAM: 1.0}
_WIDER = (1.0, 1.12)  # limits that are tried, of the least one


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

    def __init__(self, model, prepare, target=None, packing=None):
        self._model = copy.copy(model) if isinstance(model, Graph) else Graph(model)
        self._fits = may_overlap(self._model)
        self._model.overlap = self._fits
        self._prepare = prepare
        if self._fits:
            self._model = self._in_better_order()
        self._options = target, packing
        self._search = None
        self._known = {}

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
        return min(self._model, other, key=lambda model: self._prepare(model).head_bytes)

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
        if level not in self._known:
            self._known[level] = self._made(level)
        return self._known[level]

    def _made(self, level):
        if not self._fits or level not in _SHARES:
            return self._model, 0
        search = self._plain()
        most = _SHARES[level] * search.base_cycles
        best = self._model, 0
        best_head = self._prepare(self._model).head_bytes
        first = search.cheapest(best_head, most)
        tried = set()
        for wider in _WIDER if first is not None else ():
            fusion = search.within(int(first.arena * wider))
            key = tuple((nodes[0].index, nodes[-1].index, h) for nodes, h in fusion.chains)
            if key in tried or not key:
                continue
            tried.add(key)
            graph = apply(self._model, fusion)
            head = self._prepare(graph).head_bytes
            if head < best_head:
                best_head = head
                best = graph, fusion.cycles
        return best
