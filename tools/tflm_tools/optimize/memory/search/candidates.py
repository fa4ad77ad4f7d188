# tflm_tools: Candidates: the schedules by which a region can run in bands, the cheapest one first
# MIT license; Copyright (c) 2026 the tflm authors

from bisect import insort
from itertools import product
from operator import attrgetter

from ....bands.peak_memory import peak_bytes
from .edge import Edge
from .lower_bound import BandLowerBound

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12)  # rows of a band that are tried
_RECOMPUTING_HEIGHTS = (1, 2)  # the same if rows are recomputed, which needs the least memory
NEVER = 1 << 40  # bytes that no board has

_cycles = attrgetter("cycles")


class LazyCandidate:
    """A BandSchedule that is not computed yet, with lower bounds of its bytes and cycles.

    bound: its BandLowerBound. schedule: the same one without warm-up bands, if this one has some.
    The other attributes have the same meaning as in an Edge.
    """

    optimistic_bytes, has_lower_bound, is_planned = 0, False, False

    def __init__(self, bound, cycles, schedule=None):
        self.bound, self.cycles, self.schedule = bound, cycles, schedule
        self.has_warm_up, self.arena = schedule is not None, 0


class Candidates:
    """The candidates for one Region, sorted by their cycles: LazyCandidates and Edges.

    fixed_bytes_of(recomputed): bytes besides feature maps that a schedule needs at least.
    cycles_of(node): cycles of an operator by itself. layout_cycles_of(schedule): extra cycles of
    the weights, at least. min_scratch_of(node, access, rows): a lower bound of a node's scratch.
    owner: the ModelEdges that the Edges belong to.

    1. Each height, pacing operator and choice of recomputed feature maps is a LazyCandidate.
    2. To find the cheapest candidate within a limit, go through them by cycles. Compute lower
       bounds of bytes only as far as necessary to exceed the limit.
    3. A LazyCandidate that does not exceed it is replaced by Edges: with rows kept and, if nothing
       is recomputed, with rows spilled; and by a LazyCandidate with warm-up bands.
    """

    def __init__(self, region, fixed_bytes_of, cycles_of, layout_cycles_of, min_scratch_of, owner):
        self._region, self._fixed_bytes_of, self._owner = region, fixed_bytes_of, owner
        self._fixed_bytes = {}  # by what is recomputed
        self._min_scratch_of = min_scratch_of
        self._cycles_of, self._layout_cycles_of = cycles_of, layout_cycles_of
        self._peaks = {}  # BandSchedule: bytes
        self._min_bytes = 0  # that any candidate needs, as far as is known
        self._exceeding = None, 0  # a limit, and how many of the first candidates exceed it
        bounds = [BandLowerBound(region, *height) for height in region.band_heights(_HEIGHTS)]
        recomputing = product(
            region.band_heights(_RECOMPUTING_HEIGHTS), region.recompute_options()
        )
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
            bytes_needed = min(map(_optimistic_bytes, self._candidates), default=NEVER)
            self._min_bytes = max(self._min_bytes, bytes_needed)
        return edge

    # (cheapest() among the candidates from a position on, the position where the search ended).
    def _cheapest_from(self, at, limit, max_cycles):
        while at < len(self._candidates):
            candidate = self._candidates[at]
            if candidate.cycles >= max_cycles:
                break
            self._raise_lower_bound(candidate, limit)
            if _optimistic_bytes(candidate) > limit:
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
            fixed, bound = self._fixed(candidate.bound.recomputed), candidate.bound
            more = bound.bytes_at_least(limit - fixed, self._min_scratch, candidate.has_warm_up)
            candidate.arena = fixed + more

    def _peak_bytes(self, schedule):
        if schedule not in self._peaks:
            fixed = self._fixed(schedule.recomputed)
            self._peaks[schedule] = fixed + peak_bytes(schedule, self._min_scratch)
        return self._peaks[schedule]

    # Bytes besides feature maps.
    def _fixed(self, recomputed):
        key = tuple(recomputed.items())
        if key not in self._fixed_bytes:
            self._fixed_bytes[key] = self._fixed_bytes_of(recomputed)
        return self._fixed_bytes[key]

    def _min_scratch(self, position, rows):
        node, access = self._region.nodes[position], self._region.accesses[position]
        return self._min_scratch_of(node, access, rows) if rows else 0

    # Step 3: the candidates that replace a LazyCandidate.
    def _computed(self, lazy):
        if lazy.has_warm_up:
            schedule = lazy.schedule.with_warm_up_bands()
        else:
            schedule = lazy.bound.schedule()
        if schedule is None:
            return
        layout_cycles = self._layout_cycles_of(schedule)
        cycles = schedule.cycles(self._cycles_of) + layout_cycles
        is_recomputing = bool(schedule.recomputed)
        for each in (schedule,) if is_recomputing else (schedule, schedule.with_spilled_rows()):
            total = round(cycles + each.copy_cycles())
            edge = Edge(self._region.first, self._region.end, 0, total)
            edge.schedule, edge.owner = each, self._owner
            edge.estimated_layout_cycles = layout_cycles
            edge.is_planned = edge.has_lower_bound = False
            yield edge
        if not lazy.has_warm_up and not is_recomputing:
            yield LazyCandidate(lazy.bound, cycles, schedule)


# Bytes that a candidate may need at least, as far as is known.
def _optimistic_bytes(candidate):
    return candidate.optimistic_bytes or candidate.arena
