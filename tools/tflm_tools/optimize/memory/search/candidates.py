# tflm_tools: Candidates: the schedules by which a region can run in bands, the cheapest one first
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import insort
from itertools import product
from operator import attrgetter

from ....bands.peak_memory import peak_bytes
from ..part_arena import NO_LIMIT
from .edge import Edge
from .lower_bound import BandLowerBound

# Rows of a band that are tried; if rows are recomputed, the first two, which need least memory.
# Seven heights up to 12 gave the same plans in a tenth more time.
_HEIGHTS = (1, 2, 4, 8)

_cycles = attrgetter("cycles")


class LazyCandidate:
    """A BandSchedule that is not computed yet, with lower bounds of its bytes and cycles.

    bound: its BandLowerBound. schedule: the same one without warm-up bands, if this one has some.
    The other attributes have the same meaning as in an Edge.
    """

    has_lower_bound, is_planned = False, False

    def __init__(self, bound, cycles, schedule=None):
        self.bound, self.cycles, self.schedule = bound, cycles, schedule
        self.has_warm_up, self.arena = schedule is not None, 0


class Candidates:
    """The candidates for one Region, sorted by their cycles: LazyCandidates and Edges.

    unrelated_bytes: of tensors that exist meanwhile and that the region does not use.
    cycles_of(node): cycles of an operator by itself, without weights.
    owner: the ModelEdges that the Edges belong to.

    1. Each height, pacing operator and choice of recomputed feature maps is a LazyCandidate.
    2. To find the cheapest candidate within a limit, go through them by cycles. Compute lower
       bounds of bytes only as far as necessary to exceed the limit.
    3. A LazyCandidate that does not exceed it is replaced by Edges: with rows kept and, if nothing
       is recomputed, with rows spilled; and by a LazyCandidate with warm-up bands.
    """

    def __init__(self, region, unrelated_bytes, cycles_of, owner):
        self._region, self._unrelated_bytes, self._owner = region, unrelated_bytes, owner
        self._cycles_of = cycles_of
        self._min_bytes = 0  # that any candidate needs, as far as is known
        self._exceeding = None, 0  # a limit, and how many of the first candidates exceed it
        bounds = [BandLowerBound(region, *height) for height in region.band_heights(_HEIGHTS)]
        recomputing = product(region.band_heights(_HEIGHTS[:2]), region.recompute_options())
        bounds += [BandLowerBound(region, *height, each) for height, each in recomputing]
        candidates = (LazyCandidate(bound, bound.min_cycles(cycles_of)) for bound in bounds)
        self._candidates = sorted(candidates, key=_cycles)

    def cheapest(self, limit, max_cycles):
        """Return the cheapest Edge that may need at most `limit` bytes of arena, or None.

        max_cycles: the Edge must have fewer cycles.
        """
        if self._min_bytes > limit:
            return None
        known_limit, at = self._exceeding
        at = at if known_limit == limit else 0
        edge, at = self._cheapest_from(at, limit, max_cycles)
        self._exceeding = limit, at
        if at == len(self._candidates):
            bytes_needed = min((each.arena for each in self._candidates), default=NO_LIMIT)
            self._min_bytes = max(self._min_bytes, bytes_needed)
        return edge

    # (cheapest() among the candidates from a position on, the position where the search ended).
    def _cheapest_from(self, at, limit, max_cycles):
        while at < len(self._candidates):
            candidate = self._candidates[at]
            if candidate.cycles >= max_cycles:
                break
            self._raise_lower_bound(candidate, limit)
            if candidate.arena > limit:
                at += 1
            elif isinstance(candidate, Edge):
                return candidate, at
            else:
                del self._candidates[at]
                for each in self._computed(candidate):
                    insort(self._candidates, each, at, key=_cycles)
        return None, at

    def update(self, more=()):
        """Sort again after an Edge has been examined; more: Edges to add."""
        self._candidates = sorted([*self._candidates, *more], key=_cycles)
        self._min_bytes, self._exceeding = 0, (None, 0)

    # Compute a lower bound of a candidate's bytes, as far as necessary to exceed a limit.
    def _raise_lower_bound(self, candidate, limit):
        if candidate.has_lower_bound or candidate.arena > limit:
            return
        if isinstance(candidate, Edge):
            candidate.arena = self._peak_bytes(candidate.schedule.unspilled)
            if candidate.arena <= limit or not candidate.schedule.spilled:
                candidate.arena = self._peak_bytes(candidate.schedule)
                candidate.has_lower_bound = True
        else:
            more, has_warm_up = limit - self._unrelated_bytes, candidate.has_warm_up
            more = candidate.bound.bytes_at_least(more, has_warm_up)
            candidate.arena = self._unrelated_bytes + more

    def _peak_bytes(self, schedule):
        return self._unrelated_bytes + peak_bytes(schedule)

    # Step 3: the candidates that replace a LazyCandidate.
    def _computed(self, lazy):
        if lazy.has_warm_up:
            schedule = lazy.schedule.with_warm_up_bands()
        else:
            schedule = lazy.bound.schedule()
        if schedule is None:
            return
        layout_search = self._owner.layout_search
        cycles = schedule.cycles(self._cycles_of) + layout_search.min_cycles_in_bands(schedule)
        is_recomputing = bool(schedule.recomputed)
        for each in (schedule,) if is_recomputing else (schedule, schedule.with_spilled_rows()):
            total = round(cycles + each.copy_cycles())
            edge = Edge(self._region.first, self._region.end, 0, total)
            edge.schedule, edge.owner = each, self._owner
            edge.is_planned = edge.has_lower_bound = False
            yield edge
        if not lazy.has_warm_up and not is_recomputing:
            yield LazyCandidate(lazy.bound, cycles, schedule)
