# tflm_tools: Glimpse: what a region in bands needs at least, as a few of its bands tell
# MIT license; Copyright (c) 2026 the tflm authors

from .peaks import peak_of_band
from .progress import Progress, cycles_at_least


class Glimpse:
    """A way to run a Region, as Progress has it with the same arguments, seen in some bands only.

    One costs a fraction of a Progress: most ways need more than a limit, and some bands show that.
    """

    apart = False

    def __init__(self, region, height, place, anew=None):
        self.region, self.anew = region, anew or {}
        self._height, self._place, self._pace = height, place, region.pace(place)
        self.bands = self._pace.bands(height)
        self._last = self._behind(self.bands)

    def cycles(self, cycles_of):
        """What cycles() of that Progress gives at least."""
        return cycles_at_least(self.region, self._place, self._height, self.anew, cycles_of)

    def progress(self):
        """That Progress."""
        return Progress(self.region, self._height, self._place, anew=self.anew)

    def needs_over(self, limit, scratch_of, is_led=False):
        """Bytes that no plan of the Progress, with rows apart or not, goes below.

        As far as it takes to be more than `limit`. scratch_of: see peaks.peak(). is_led: the same
        with bands in front.
        """
        most = 0
        for band in (self.bands, self.bands // 2 + 1, 2 if is_led else 1):
            if most <= limit:
                most = max(most, self._in(band, scratch_of))
        return most

    # Bytes that a band needs.
    def _in(self, band, scratch_of):
        before, now = self._behind(band - 1), self._behind(band)
        region, spans = self.region, {}
        for place in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[place]
            there = before[key], now[key]
            spans[key] = region.needed(key, spans) if key in self.anew else there
        return peak_of_band(_Band(self, before, now, spans), scratch_of)

    # {key: rows that are there} behind a band.
    def _behind(self, band):
        row = min(band * self._height, self._pace.rows)
        return {key: rows[row] for key, rows in self._pace.there.items()}

    def kept_from(self, place, key, made):
        """From which row on, of those that are there as `made` says, an operator needs a value."""
        way = self.region.ways[place]
        row = None if way.gathers else self._next(self.region.outputs[place], made)
        return made[key] if row is None else min(way.rows.first(row), made[key])

    # The first row of a value that is made later, or None.
    def _next(self, key, made):
        if key not in self.anew:
            return made[key] if made[key] < self._last[key] else None
        found = []
        for place, _ in self.region.values[key].readers:
            row, rows = self._next(self.region.outputs[place], made), self.region.ways[place].rows
            if row is not None and rows.first(row) < rows.behind(row):
                found.append(rows.first(row))
        return min(found, default=None)

    def read_of(self, key):
        """How many rows of a value that is there before are read."""
        value, known = self.region.values[key], self.region.counted
        if value.stays:
            return value.rows
        ends = tuple(self._last[self.region.outputs[place]] for place, _ in value.readers)
        key = key, ends, tuple(self.anew)
        if key not in known:
            known[key] = len(self._read(value))
        return known[key]

    def _read(self, value):
        read = set()
        for place, _ in value.readers:
            key, rows = self.region.outputs[place], self.region.ways[place].rows
            is_anew = key in self.anew
            made = self._read(self.region.values[key]) if is_anew else range(self._last[key])
            for row in made:
                read.update(range(rows.first(row), rows.behind(row)))
        return read


class _Band:
    """One band of a Glimpse, as Progress has them all: band 0 is what is before it."""

    apart, bands = False, 1

    def __init__(self, glimpse, before, now, spans):
        self.region, self.anew = glimpse.region, glimpse.anew
        self.before = before
        self._glimpse, self._now, self._spans = glimpse, now, spans

    def spans(self, key):
        return [self._spans[key]]

    def span(self, key, _):
        return self._spans[key]

    def kept(self, place, key):
        return [self._glimpse.kept_from(place, key, made) for made in (self.before, self._now)]

    def used(self, key):
        return self._glimpse.read_of(key)
