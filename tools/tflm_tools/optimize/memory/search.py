# tflm_tools: which regions of a model run in bands, and how high these are
# MIT license; Copyright (c) 2026 the tflm authors

from itertools import chain
from math import inf

from .costs import PLAIN, least_cycles
from .detours import Detour, reach
from .edge import Edge, Limits
from .edges import LONGEST, Edges
from .fusion import Fusion
from .pooled_groups import pooled_groups
from .probe import Probe
from .second_pass import second_passes

STEP = 256  # bytes between two limits that are tried
LEAST_STEP = 16  # heads are multiples of it
_CLEAR = 0.85, 0.92, 1.0  # of a limit: the less a way needs by estimate, the likelier it fits


class Search:
    """Looks for the cheapest way to run a model in an arena of a given size.

    base_cycles: what it takes with nothing in bands, by estimate; plain_cycles: were the target's
    kernels as slow as those of a Cortex-M0+. scrap: the Scrap of its looks.
    """

    def __init__(self, graph, target=None, packing=None, miss=None):
        probe = Probe(graph, target, packing, miss)
        self._edges, self.scrap = Edges(graph, probe), probe.scrap
        self.nodes, self.storing = self._edges.nodes, self._edges.storing
        self.base_cycles = least_cycles(self.nodes, probe, target)
        self.plain_cycles = least_cycles(self.nodes, probe, target and PLAIN)
        self._detours = {}  # place of the last operator that one goes around: Detours
        for form in [*second_passes(graph), *pooled_groups(graph)]:
            self._detours.setdefault(form.reader, []).append(Detour(form, probe, target))
        self._latest = sorted(self._detours, reverse=True)

    # The cheapest way through the model that keeps to Limits: (cycles, what it goes by), or None.
    # Edges that nobody has looked at may need more. detours: those that it may go by, by the place
    # of their last operator. best: the ways to each place, those up to `start` as they were found
    # before.
    def _path(self, limits, detours, best, start):
        best[start + 1 :] = [None] * (len(self.nodes) - start)
        for place in range(start, len(self.nodes)):
            reach(self._edges, best, place + 1, limits)
            for detour in detours.get(place, ()):
                around = range(detour.form.first, place + 1)
                if any(self._edges.single(at).arena > limits.single for at in around):
                    detour.offer(best, limits)
        if best[-1] is None:
            return None
        found, at = [], best[-1]
        while at[1] is not None:
            found.append(at[1])
            at = at[2]
        return best[-1][0], found[::-1]

    # Where _path() begins: (the ways to places, the first one that has none).
    def _unreached(self):
        for detour in chain.from_iterable(self._detours.values()):
            detour.forget()
        return [(0, None, None)], 0

    def within(self, limit, most=None, share=1.0, unsure=1.0, room=None, wide=0, is_wide=False):
        """The cheapest Fusion that needs at most `limit` bytes, or None.

        most: cycles that it may cost, and in a Room. share: of the limit that its regions may
        need; unsure: of that by estimate. Below 1, what comes close is not looked at: soon there
        is one, which may not be the cheapest. is_wide: weights in bands may use more than they
        need, `wide` bytes of the arena, which is to be the same each time.
        """
        limits = Limits(limit, share * limit, unsure * share * limit, is_wide)
        most = inf if most is None else most
        cheap = min((d.cycles for d in chain.from_iterable(self._detours.values())), default=inf)
        # What takes less than any detour needs none of them.
        is_over, found = self._known_way(limits, {}, min(most, cheap), room, wide)
        if not is_over and cheap <= most:
            found = self._known_way(limits, self._detours_within(most), most, room, wide)[1]
        return None if found is None else _fusion(found, limit)

    # The cheapest way by Edges that have been looked at, as _path() gives it: (False, None) where
    # it takes more than `most` cycles or there is none, (True, None) where it does so in a Room.
    def _known_way(self, limits, detours, most, room, wide):
        best, start = self._unreached()
        while True:
            found = self._path(limits, detours, best, start)
            if found is None or found[0] > most:
                return False, None
            edges = [each for each in found[1] if isinstance(each, Edge)]
            if room is not None:
                spare = sum(edge.spare(room.beside(limits.single)) for edge in edges)
                if found[0] - spare > room.cycles:
                    return True, None
            unknown = [edge for edge in edges if not edge.is_known(limits.banded)]
            if not unknown:
                return True, found
            for edge in unknown:
                edge.of.look_at(edge, limits.banded, wide)
            start = min(map(self._looked_at, unknown))

    # The detours that take no more cycles, by the place of their last operator.
    def _detours_within(self, most):
        found = {}
        for place, detours in self._detours.items():
            found[place] = [each for each in detours if each.cycles <= most]
        return found

    def learn_of(self, node, arena):
        """Note that an operator by itself needs so many bytes; False where that is no news."""
        place = next((i for i, other in enumerate(self.nodes) if other is node), None)
        if place is None or self._edges.single(place).arena >= arena:
            return False
        self._edges.single(place).arena = arena
        return True

    # Note that an Edge was looked at; up to which place the ways are as they were before.
    def _looked_at(self, edge):
        start = edge.last - 1
        for place in self._latest:
            own = [each for each in self._detours[place] if each.is_for(edge.of)]
            for detour in own:
                detour.forget(edge.last)
            if own or place < start <= place + LONGEST:  # it leads further on
                start = place
        return start

    def least(self, most, cycles, step=STEP):
        """Bytes, at most `most`, below which no Fusion that costs so many cycles goes.

        As far as is known before any Edge has been looked at.
        """
        low, high = 0, most // step
        while low < high:
            middle = (low + high) // 2
            limits = Limits(*[middle * step] * 3)
            found = self._path(limits, self._detours_within(cycles), *self._unreached())
            if found is not None and found[0] <= cycles:
                high = middle
            else:
                low = middle + 1
        return high * step

    def cheapest(self, most, cycles, step=STEP, near=0, room=None):
        """The Fusion with the least arena that costs at most `cycles`, by halving; `most`: bytes.

        cycles: None for any number; room: as for within(). step: bytes between two limits. near:
        bytes below which none does, as is known, so that some a little above them are likely to.
        None when nothing below `most` does.
        """
        low, high, found = near // step, most // step, False
        ahead = 0 if near else high
        while low < high:
            middle = (low + high) // 2
            if not found:
                middle = min(middle, low + ahead)
            if self._may(middle * step, cycles, room):
                found, high = True, middle
            else:
                low, ahead = middle + 1, 2 * ahead + 1
        return self.within(high * step, cycles) if found else None

    # True when there is a Fusion: what surely fits is looked for to begin with.
    def _may(self, limit, cycles, room):
        ways = (self.within(limit, cycles, 1.0, unsure, room) for unsure in _CLEAR)
        return any(way is not None for way in ways)


# The Fusion of a way through a model: (cycles, what it goes by).
def _fusion(found, limit):
    fusion = Fusion([], limit, found[0])
    for each in found[1]:
        if isinstance(each, Detour):
            fusion.forms.append(each.form)
            continue
        fusion.cycles -= each.counted
        if each.needs is not None:
            fusion.stored.update(each.needs.stored)
        if each.progress is not None:
            fusion.edges.append(each)
        elif each.needs is not None:
            fusion.narrow.append(each)
    return fusion
