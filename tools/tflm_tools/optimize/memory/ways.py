# tflm_tools: Ways: the ways to run a region in bands, of which as few as can be are written out
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import insort
from itertools import product
from operator import attrgetter

from .edge import Edge
from .glimpse import Glimpse
from .peaks import peak

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)
_LOW = (1, 2)  # where rows are made anew, to take least
NEVER = 1 << 40  # bytes that no board has

_cycles = attrgetter("cycles")


class Ways:
    """The ways to run a Region in bands, as Edges.

    fixed(anew): bytes that one needs at least beside its rows. cycles_of(node): those of an
    operator by itself; weighed(progress): those that weights take at least. scratch_of(node,
    way, rows): bytes of scratch that a node needs to make so many rows. of: the Edges that these
    are of.
    """

    def __init__(self, region, fixed, cycles_of, weighed, scratch_of, of):
        self._region, self._fixed_of, self._of = region, fixed, of
        self._fixed = {}  # by what is made anew
        self._scratch_of = scratch_of
        self._cycles_of, self._weighed = cycles_of, weighed
        self._peaks = {}  # of Progresses
        self._least = 0  # what any of them needs at least, as far as is known
        self._passed = None, 0  # Limits, and how many of the first ways need more than these
        glimpses = [Glimpse(region, *pace) for pace in region.paces(_HEIGHTS)]
        anew = product(region.paces(_LOW), region.anew())
        glimpses += [Glimpse(region, *pace, each) for pace, each in anew]
        ways = (_Unwritten(each, each.cycles(cycles_of)) for each in glimpses)
        self._ways = sorted(ways, key=_cycles)

    def cheapest(self, limits, below):
        """The cheapest Edge for which Limits may do, if it takes less than `below` cycles."""
        if self._least > limits.banded:
            return None
        known, at = self._passed
        at = at if known == limits else 0
        found, at = self._from(at, limits, below)
        self._passed = limits, at
        if at == len(self._ways):
            self._least = max(self._least, min(map(_may_need, self._ways), default=NEVER))
        return found

    # The same among the ways from a place on: (Edge or None, the place where it ended).
    def _from(self, at, limits, below):
        while at < len(self._ways):
            way = self._ways[at]
            if way.cycles >= below:
                break
            if way.is_wide and not limits.is_wide:
                at += 1
                continue
            limit = limits.banded if way.is_sure else limits.unsure
            self._tell(way, limit)
            if _may_need(way) > limit:
                at += 1
            elif isinstance(way, Edge):
                return way, at
            else:
                del self._ways[at]
                for each in self._written(way):
                    insort(self._ways, each, at, key=_cycles)
        return None, at

    def changed(self, more=()):
        """Note that what is known of an Edge has changed, and that there are more."""
        self._ways = sorted([*self._ways, *more], key=_cycles)
        self._least, self._passed = 0, (None, 0)

    # Tell what a way needs at least, as far as it takes to be more than a limit.
    def _tell(self, way, limit):
        if way.is_told or way.arena > limit:
            return
        if isinstance(way, Edge):
            way.arena = self._peak(way.progress.plain)
            if way.arena <= limit or not way.progress.apart:
                way.arena, way.is_told = self._peak(way.progress), True
        else:
            fixed = self._beside(way.glimpse.anew)
            way.arena = fixed + way.glimpse.needs_over(limit - fixed, self._scratch, way.is_led)

    def _peak(self, progress):
        if progress not in self._peaks:
            fixed = self._beside(progress.anew)
            self._peaks[progress] = fixed + peak(progress, self._scratch)
        return self._peaks[progress]

    # Bytes beside the rows of a way that makes these values anew.
    def _beside(self, anew):
        key = tuple(anew.items())
        if key not in self._fixed:
            self._fixed[key] = self._fixed_of(anew)
        return self._fixed[key]

    def _scratch(self, place, rows):
        region = self._region
        return self._scratch_of(region.nodes[place], region.ways[place], rows) if rows else 0

    # What an _Unwritten becomes: Edges, and the same with bands in front.
    def _written(self, way):
        progress = way.progress.led() if way.is_led else way.glimpse.progress()
        if progress is None:
            return
        guess = self._weighed(progress)
        running = progress.cycles(self._cycles_of) + guess
        for each in (progress,) if progress.anew else (progress, progress.with_rows_apart()):
            edge = Edge(self._region.first, self._region.last, 0, round(running + each.copying()))
            edge.progress, edge.guess, edge.of = each, guess, self._of
            edge.is_sure = edge.is_told = False
            yield edge
        if not way.is_led and not progress.anew:
            yield _Unwritten(way.glimpse, running, progress)


# Bytes that a way needs at least, as far as is known.
def _may_need(way):
    return way.may_need or way.arena


class _Unwritten:
    """A way of which only least values are known: of bytes, `arena`, and of cycles.

    glimpse: of its Progress. progress: that, for the same with bands in front: is_led.
    """

    may_need, is_told, is_sure, is_wide = 0, False, False, False

    def __init__(self, glimpse, cycles, progress=None):
        self.glimpse, self.cycles, self.progress = glimpse, cycles, progress
        self.is_led, self.arena = progress is not None, 0
