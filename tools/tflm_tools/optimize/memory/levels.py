# tflm_tools: the levels of `tflm flatten --optimize`: how much time the RAM that is saved may cost
# MIT license; Copyright (c) 2026 the tflm authors

import copy
from contextlib import suppress
from dataclasses import dataclass
from math import inf

from tflm.errors import UnsupportedError

from ...model.graph import Graph
from ...plan.overlap import may_overlap
from .budget import fastest
from .collection import uncollected
from .edge import Room
from .order import late_branches, reordered
from .plans import Plans
from .search import LEAST_STEP, STEP

SPEED, BALANCED, RAM, OFF = "speed", "balanced", "ram", "off"
LEVELS = (RAM, BALANCED, SPEED, OFF)
BUDGET = "budget"  # what keeps to a number of bytes, and is no choice of --optimize

# The share of a model's cycles that its chains in bands may cost, by estimate.
_SHARES = {BALANCED: 0.03, RAM: 1.0}
# The share of the arena that bands have to leave, to be worth cycles.
_LEFT = {BALANCED: 0.9}
# How much larger than with small blocks the arena may be, for weights that are fetched once.
_GROWTH = {SPEED: 1.5}
_SMALL = 8192  # an arena that need not be smaller for their sake
_AFTER = {BALANCED: SPEED, RAM: BALANCED}  # levels that need no less
_PARTS = (1, 0.6, 0.3)  # of that, one after the other
# Of that, where words of weights cost: these may take so much less with some room.
_BEYOND = 5
_WIDER_BEYOND = 1.12  # times a limit: the room for weights that these may count on
_ROOMS = (1, 1.06, _WIDER_BEYOND, 1.25)  # for weights of what runs in bands, of the least arena
_WHOLE = {BALANCED: (1, 1.06, 1.12, 1.18, 1.25, 1.5)}  # the same where nothing does
# Limits that are tried, of the least one, and the share of each that regions may need: where they
# leave some, a plan of all may come out smaller.
_NARROW = (1.0, 1.0), (1.0, 0.94)
_WIDER = (1.12, 1.0), (1.25, 1.0)  # where weights take too long in the least one, or need more
_DRAFT = 1.02  # of the bytes that a plan takes in the end: what its draft may take
_MANY = 80  # operators, of both orders: of more RAM is only told where it is asked for
_STEPS = 64  # limits that RAM may try, in an arena with room for so many


@dataclass
class LevelSize:
    """What a level comes to: bytes of arena and flash, and cycles of a Cortex-M0+ by estimate."""

    level: str
    arena_bytes: int
    flat_bytes: int
    cycles: int
    bands: list[tuple[int, int]]  # first and last operator of each chain in bands, or in groups


class Levels:
    """Plans of one model at each level.

    model: a TfliteModel, or a Graph, which stays as it is. prepare(model) gives its RomStorage.
    arena: the bytes of arena that BUDGET keeps to. in_order: operators stay in the order that they
    have; otherwise what runs in bands may have another one, too, in which branches come late.
    """

    def __init__(
        self, model, prepare, target=None, packing=None, miss=None, arena=None, in_order=False
    ):
        model = copy.copy(model) if isinstance(model, Graph) else Graph(model)
        self._arena, self._made_by = arena, (model, prepare, target, packing, miss)
        self._in_order = in_order
        self._fits = may_overlap(model)
        self._plain_model = copy.copy(model)
        self._plain_model.overlap = False
        self._off = None
        model.overlap = model.is_draft = self._fits
        self._plans = Plans(model, prepare, target, packing, miss)
        self._late = None  # the Levels of that other order
        if self._fits and not in_order:
            late = late_branches(model)
            if late is not None:
                self._late = Levels(late, *self._made_by[1:], arena, in_order=True)
            self._plans.model = self._in_better_order(model)
        self._known = {}
        self._below = inf  # bytes; more are of no use
        self._speed = None

    def prepared(self, model):
        """The RomStorage of a model that is one of these; each is prepared once."""
        return self._plans.prepared(model)

    def size(self, level, image):
        """The LevelSize of a level; image(model) gives the bytes of its .tflm and its arena."""
        model, cycles = self.model(level)
        flat_bytes, arena_bytes = image(model)
        parts = [chain.nodes for chain in getattr(model, "chains", ())]
        parts += getattr(model, "grouped", ())
        bands = sorted((nodes[0].index, nodes[-1].index) for nodes in parts)
        return LevelSize(level, arena_bytes, flat_bytes, self.base_cycles() + cycles, bands)

    # A model with its operators in the order that needs least, once all is planned; where words of
    # weights cost, the one with more room for scratch if both need as much.
    def _in_better_order(self, model):
        other = reordered(model, for_scratch=self._plans.miss > 0)
        return model if other is None else min(other, model, key=self._plans.head)

    def base_cycles(self):
        """Estimated cycles of the model on a Cortex-M0+, nothing in bands."""
        if not self._fits:
            return 0
        return self._plans.search.base_cycles

    @uncollected()
    def model(self, level, below=inf):
        """(the Graph that a level other than OFF makes, extra cycles by estimate).

        below: bytes of arena; whoever asks has something else that needs as many.
        """
        self._below = below
        model, cycles = self._level(level)
        if not self._fits:
            return model, cycles
        if level == SPEED:
            if self._speed is None:
                room = _GROWTH[SPEED] * self._plans.head(self._plans.model)
                self._speed = self._plans.refined(model, max(room, self._plans.head(model)))
            model = self._speed
        made = self._plans.ended(model), cycles
        if level not in _AFTER:
            return made
        # Drafts were compared, and what these become may lie the other way round.
        head = self._plans.head
        if head(self._level(_AFTER[level])[0]) <= _DRAFT * head(made[0]):
            made = min(made, self.model(_AFTER[level], below), key=lambda each: head(each[0]))
        if self._late is None:
            return made
        # What both lead to in the end may lie the other way round, too.
        late = self._late.model(level, _DRAFT * self._plans.head(made[0]))
        return min(made, late, key=self._size)

    # The same before room that is left goes to weights.
    def _level(self, level):
        if level not in self._known:
            is_budget = level == BUDGET and self._fits
            self._known[level] = self._within() if is_budget else self._made(level)
        return self._known[level]

    # What keeps to the arena that was asked for. The levels are those of a search of their own:
    # this one learns from what it tries, and they should not depend on a budget.
    def _within(self):
        levels = Levels(*self._made_by, in_order=self._in_order)
        found = ((level, levels.model(level)) for level in (SPEED, BALANCED, RAM))
        made, refusal = None, None
        try:
            made = fastest(self._plans, self._arena, found)
        except UnsupportedError as error:
            refusal = error
        few = _SHARES[BALANCED] * self.base_cycles()
        if self._late is not None and (made is None or made[1] > few):
            with suppress(UnsupportedError):
                other = self._late.model(BUDGET)
                made = other if made is None else min(made, other, key=lambda each: each[1])
        if made is None:
            raise refusal
        return made

    # (the smallest Graph of what may run in bands that costs no more than the level may, with what
    # its weights take longer in a smaller arena; its extra cycles).
    def _made(self, level):
        if not self._fits:
            return self._plans.model, 0
        most = self._may_cost(level)
        # Before this search, which learns from plans: nothing depends on who asks first.
        after = self._level(_AFTER[level]) if level in _AFTER else None
        stored = {}
        for graphs, is_all in self._in_bands(level):
            found, made = [], None
            for graph, cycles, head in graphs:
                if head >= self._below:
                    return min(found, key=self._size) if found else (self._plans.model, 0)
                enough = inf if graph is self._plans.model else most - cycles
                if after is not None and head > self._plans.head(after[0]):
                    return min(found, key=self._size) if found else after
                if found and head >= min(map(self._size, found))[0]:
                    break
                for given in self._rooms(level, graph, head, after):
                    if (graph, given) not in stored:
                        stored[graph, given] = self._plans.with_stored(graph, given, enough)
                    other, more = stored[graph, given]
                    made = other, cycles + more
                    if made[1] <= most:
                        found.append(made)
                        break
            if found and (is_all or min(map(self._size, found))[0] <= graphs[0][2]):
                return min(found, key=self._size)
        return made

    # Cycles that a level may cost.
    def _may_cost(self, level):
        most = _SHARES.get(level, 0) * self._plans.search.base_cycles
        return most + self._level(SPEED)[1] if level == BALANCED else most

    # (bytes of arena, cycles) of a (Graph, extra cycles).
    def _size(self, made):
        return self._plans.head(made[0]), made[1]

    # Bytes of arena that the weights of a Graph may use which needs `head` with as little as can
    # be, one after the other. after: what the level may not need more than, or None.
    def _rooms(self, level, graph, head, after):
        room = head * _GROWTH.get(level, 1)
        room = max(room, self._small(level))
        limit = room if after is None else self._plans.head(after[0])
        is_whole = graph is self._plans.model
        if is_whole and level == BALANCED:
            limit = max(room, min(limit, self.off()[0]))
        rooms = _WHOLE.get(level, (1,)) if is_whole else _ROOMS
        return dict.fromkeys(min(wider * room, limit) for wider in rooms)

    # Bytes that weights may have at a level, however small the arena could be.
    def _small(self, level):
        if level == BALANCED:
            return min(_SMALL, self.off()[0])
        return 0 if level == RAM else _SMALL

    # ([(Graph, extra cycles, bytes of arena)], True when these are all of them), again and again,
    # with chains in bands as far as a level may, from the smallest to the model without any. What
    # weights take longer in so small an arena is not counted: for where that is too much, what
    # takes less by itself comes behind.
    def _in_bands(self, level):
        whole = self._plans.model, 0, self._plans.head(self._plans.model)
        parts, step = _PARTS if level in _SHARES else (), STEP
        if level == RAM:
            step = max(LEAST_STEP, min(STEP, whole[2] // _STEPS))
            parts = (_BEYOND, *parts) if self._plans.miss else parts
        for part in parts:
            most = part * _SHARES[level] * self._plans.search.base_cycles
            wider = _ROOMS[-1] if part <= 1 else _WIDER_BEYOND
            room = Room(self._may_cost(level), wider, self._small(level))
            below = min(_LEFT.get(level, 1) * whole[2], self._below)
            yield from self._within_cycles(most, room, below, whole[2], step)
        yield [whole], True

    # The same with so many extra cycles at most, and in a Room, and less than `below` bytes of
    # arena: those in the least limits, then all of them.
    def _within_cycles(self, most, room, below, whole, step):
        found = {}
        whole = min(whole, self._below)
        first = self._plans.least(whole, most, step, found, room)
        without = {}  # what does without such room, which may need less
        if first is not None and first.cycles > room.cycles:
            self._plans.least(whole, room.cycles, step, without)
            found.update(without)
        enough = min((head for *_, head in without.values()), default=inf)
        for limits in (_NARROW, _WIDER) if first is not None else ():
            for wider, share in limits:
                limit = int(first.arena * wider)
                if limit < enough:
                    fusion = self._plans.search.within(limit, None, share, room=room)
                    if fusion is not None:
                        self._plans.keeps_to(fusion, found)
            graphs = [each for each in found.values() if each[2] < below]
            yield sorted(graphs, key=lambda each: (each[2], each[1])), limits is _WIDER

    def as_planned(self, model):
        """A model that keeps TFLM's plan, its weights stored as is fastest in that."""
        return self._as_planned(model)[0]

    # (that model, cycles that another arena would save).
    def _as_planned(self, model):
        if not self._fits:
            return model, 0
        most = self._plans.head(model)
        made, cycles = self._plans.with_stored(model, most)
        return self._plans.refined(made, most), cycles

    def is_quick(self, level):
        """False where a level takes so long to find that it is for who asks for it."""
        orders = 1 if self._late is None else 2
        return level != RAM or orders * len(self._plans.model.running()[0].nodes) <= _MANY

    def is_of_use(self, level):
        """True when a level needs less RAM, or fewer cycles by estimate, than OFF."""
        model, more = self.model(level)
        head, cycles = self.off()
        return self._plans.head(model) < head or self.base_cycles() + more < cycles

    def off(self):
        """What OFF comes to: (bytes of the head, estimated cycles).

        Of the other levels only SPEED may need more bytes.
        """
        if self._off is None:
            model, more = self._as_planned(self._plain_model)
            self._off = self._plans.head(model), self.base_cycles() + more
        return self._off
