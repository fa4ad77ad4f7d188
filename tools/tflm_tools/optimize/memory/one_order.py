# tflm_tools: the levels of a model whose operators stay in their order
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf

from .edge import Room
from .search import LEAST_STEP, STEP

SPEED, BALANCED, RAM, OFF = "speed", "balanced", "ram", "off"
BUDGET = "budget"  # what keeps to a number of bytes, and is no choice of --optimize

# The share of a model's cycles that its chains in bands may cost, by estimate.
FEW = 0.03
_SHARES = {BALANCED: FEW, RAM: 1.0}
# The share of the arena that bands have to leave, to be worth cycles.
_LEFT = {BALANCED: 0.9}
# How much larger than with small blocks the arena may be, for weights that are fetched once.
_GROWTH = {SPEED: 1.5}
_SMALL = 8192  # an arena that need not be smaller for their sake
AFTER = {BALANCED: SPEED, RAM: BALANCED}  # levels that need no less
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
DRAFT = 1.02  # of the bytes that a plan takes in the end: what its draft may take
_STEPS = 64  # limits that RAM may try, in an arena with room for so many


class OneOrder:
    """What a model comes to at each level, its operators in the order of Plans.

    plans: these, which no other levels are made with. off: Levels.off().
    """

    def __init__(self, plans, off):
        self.plans, self._off = plans, off
        self._known = {}
        self._below = inf  # bytes; more are of no use
        self._speed = None

    def model(self, level, below=inf):
        """(the Graph that SPEED, BALANCED or RAM makes, extra cycles by estimate).

        below: bytes of arena; whoever asks has something else that needs as many.
        """
        self._below = below
        model, cycles = self._level(level)
        head = self.plans.head
        if level == SPEED:
            if self._speed is None:
                room = _GROWTH[SPEED] * head(self.plans.model)
                self._speed = self.plans.refined(model, max(room, head(model)))
            model = self._speed
        made = self.plans.ended(model), cycles
        # Drafts were compared, and what these become may lie the other way round.
        if level in AFTER and head(self._level(AFTER[level])[0]) <= DRAFT * head(made[0]):
            made = min(made, self.model(AFTER[level], below), key=lambda each: head(each[0]))
        return made

    def least(self, level):
        """Bytes below which nothing in bands at a level goes, as Search.least() tells."""
        most = self.plans.head(self.plans.model)
        return self.plans.search.least(most, self._share(level))

    # The same before room that is left goes to weights.
    def _level(self, level):
        if level not in self._known:
            self._known[level] = self._made(level)
        return self._known[level]

    # (the smallest Graph of what may run in bands that costs no more than the level may, with what
    # its weights take longer in a smaller arena; its extra cycles).
    def _made(self, level):
        most = self._may_cost(level)
        # Before this search, which learns from plans: nothing depends on who asks first.
        after = self._level(AFTER[level]) if level in AFTER else None
        found, seen, made = [], set(), None

        def best():
            return min((self._size(each)[0] for each in found), default=inf)

        for graphs, is_all in self._in_bands(level, best):
            for graph, cycles, head in graphs:
                if head >= self._below and level != SPEED:  # others go by that
                    return min(found, key=self._size) if found else (self.plans.model, 0)
                if after is not None and head > self.plans.head(after[0]):
                    return min(found, key=self._size) if found else after
                if head >= best():
                    break
                if graph not in seen:
                    seen.add(graph)
                    rooms = self._rooms(level, graph, head, after)
                    rooms = [min(room, best()) for room in rooms]
                    other, more = self.plans.in_first_of(graph, rooms, most - cycles)
                    made = other, cycles + more
                    if made[1] <= most:
                        found.append(made)
            if found and (is_all or best() <= graphs[0][2]):
                return min(found, key=self._size)
        return made

    # Cycles that a level may cost.
    def _may_cost(self, level):
        most = self._share(level)
        return most + self._level(SPEED)[1] if level == BALANCED else most

    # The same beside what SPEED costs. RAM may cost so many on any target: on some, whose kernels
    # are faster, these are more than all others.
    def _share(self, level):
        search = self.plans.search
        all_cycles = search.plain_cycles if level == RAM else search.base_cycles
        return _SHARES.get(level, 0) * all_cycles

    # (bytes of arena, cycles) of a (Graph, extra cycles).
    def _size(self, made):
        return self.plans.head(made[0]), made[1]

    # Bytes of arena that the weights of a Graph may use which needs `head` with as little as can
    # be, one after the other. after: what the level may not need more than, or None.
    def _rooms(self, level, graph, head, after):
        room = head * _GROWTH.get(level, 1)
        room = max(room, self._small(level))
        limit = room if after is None else self.plans.head(after[0])
        is_whole = graph is self.plans.model
        if is_whole and level == BALANCED:
            limit = max(room, min(limit, self._off()[0]))
        rooms = _WHOLE.get(level, (1,)) if is_whole else _ROOMS
        return dict.fromkeys(min(wider * room, limit) for wider in rooms)

    # Bytes that weights may have at a level, however small the arena could be.
    def _small(self, level):
        if level == BALANCED:
            return min(_SMALL, self._off()[0])
        return 0 if level == RAM else _SMALL

    # ([(Graph, extra cycles, bytes of arena)], True when these are all of them), again and again,
    # with chains in bands as far as a level may, from the smallest to the model without any. What
    # weights take longer in so small an arena is not counted: for where that is too much, what
    # takes less by itself comes behind.
    def _in_bands(self, level, best):
        whole = self.plans.model, 0, self.plans.head(self.plans.model)
        parts, step = _PARTS if level in _SHARES else (), STEP
        if level == RAM:
            step = max(LEAST_STEP, min(STEP, whole[2] // _STEPS))
            parts = (_BEYOND, *parts) if self.plans.miss else parts
        for part in parts:
            most = part * self._share(level)
            wider = _ROOMS[-1] if part <= 1 else _WIDER_BEYOND
            room = Room(self._may_cost(level), wider, self._small(level))
            below = min(_LEFT.get(level, 1) * whole[2], self._below)
            yield from self._within_cycles(most, room, below, whole[2], step, best)
        yield [whole], True

    # The same with so many extra cycles at most, and in a Room, and less than `below` bytes of
    # arena: those in the least limits, then all of them. best(): bytes of the best one so far.
    def _within_cycles(self, most, room, below, whole, step, best):
        found = {}
        whole = min(whole, self._below)
        first = self.plans.least(whole, most, step, found, room)
        enough = inf
        if first is not None and first.cycles > room.cycles:
            yield _below(found, below), False
            # What does without such room may need less than what uses it.
            without, enough = {}, best()
            self.plans.least(min(whole, enough), room.cycles, step, without)
            enough = min((head for *_, head in without.values()), default=enough)
            found.update(without)
        for limits in (_NARROW, _WIDER) if first is not None else ():
            for wider, share in limits:
                limit = int(first.arena * wider)
                if limit < enough:
                    fusion = self.plans.search.within(limit, None, share, room=room)
                    if fusion is not None:
                        self.plans.keeps_to(fusion, found)
            yield _below(found, below), limits is _WIDER


# The (Graph, extra cycles, bytes of arena) that need less than `below`, the smallest one first.
def _below(found, below):
    graphs = [each for each in found.values() if each[2] < below]
    return sorted(graphs, key=lambda each: (each[2], each[1]))
