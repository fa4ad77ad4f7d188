# tflm_tools: BandLowerBound: a lower bound of the bytes of a band schedule, from a few bands
# MIT license; Copyright (c) 2026 the tflm authors

from ....bands.band_schedule import BandSchedule, min_cycles
from ....bands.peak_memory import peak_bytes_of_band


class BandLowerBound:
    """A BandSchedule that has not been computed, of which single bands can be examined.

    It costs a fraction of a BandSchedule. Most schedules need more than a limit, and a few bands
    prove that. region, height, pacing, recomputed: as for BandSchedule.
    """

    def __init__(self, region, height, pacing, recomputed=None):
        self.region, self.recomputed = region, recomputed or {}
        self._height, self._pacing = height, pacing
        self._dependencies = region.dependencies(pacing)
        self.bands = self._dependencies.band_count(height)
        self._all_rows = self._rows_after(self.bands)

    def min_cycles(self, cycles_of):
        """Return a lower bound of the schedule's cycles(cycles_of)."""
        return min_cycles(self.region, self._pacing, self._height, self.recomputed, cycles_of)

    def schedule(self):
        """Return the BandSchedule."""
        return BandSchedule(self.region, self._height, self._pacing, recomputed=self.recomputed)

    def bytes_at_least(self, limit, has_warm_up=False):
        """Return bytes of feature maps that the schedule needs, with spilled rows or not.

        Examines the last, the middle and the first band, until the result exceeds `limit`.
        has_warm_up: the schedule gets warm-up bands in front, so the second band is examined
        instead of the first.
        """
        bound = 0
        for band in (self.bands, self.bands // 2 + 1, 2 if has_warm_up else 1):
            if bound <= limit:
                bound = max(bound, self._bytes_in(band))
        return bound

    # Bytes that a band needs.
    def _bytes_in(self, band):
        before, after = self._rows_after(band - 1), self._rows_after(band)
        region, spans = self.region, {}
        for position in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[position]
            is_recomputed = key in self.recomputed
            span = region.rows_needed(key, spans) if is_recomputed else (before[key], after[key])
            spans[key] = span
        return peak_bytes_of_band(_SingleBand(self, before, after, spans))

    # {key: rows that exist after a band}.
    def _rows_after(self, band):
        row = min(band * self._height, self._dependencies.rows)
        return {key: rows[row] for key, rows in self._dependencies.available.items()}

    def first_needed(self, position, key, rows):
        """Return the first row that an operator needs later, if `rows` ({key: rows}) exist."""
        access = self.region.accesses[position]
        row = None
        if not access.is_reduction:
            row = self._next_row(self.region.outputs[position], rows)
        return rows[key] if row is None else min(access.rows.first(row), rows[key])

    # The first row of a feature map that is computed later, or None.
    def _next_row(self, key, rows):
        if key not in self.recomputed:
            return rows[key] if rows[key] < self._all_rows[key] else None
        firsts = []
        for position, _ in self.region.feature_maps[key].readers:
            row = self._next_row(self.region.outputs[position], rows)
            windows = self.region.accesses[position].rows
            if row is not None and windows.first(row) < windows.end(row):
                firsts.append(windows.first(row))
        return min(firsts, default=None)

    def rows_read(self, key):
        """Return how many rows of a feature map that exists before the region are read."""
        feature_map, known = self.region.feature_maps[key], self.region.rows_read
        if feature_map.is_needed_after:
            return feature_map.rows
        outputs = self.region.outputs
        ends = tuple(self._all_rows[outputs[position]] for position, _ in feature_map.readers)
        key = key, ends, tuple(self.recomputed)
        if key not in known:
            known[key] = len(self._rows_of_readers(feature_map))
        return known[key]

    def _rows_of_readers(self, feature_map):
        read = set()
        for position, _ in feature_map.readers:
            key, windows = self.region.outputs[position], self.region.accesses[position].rows
            if key in self.recomputed:
                computed = self._rows_of_readers(self.region.feature_maps[key])
            else:
                computed = range(self._all_rows[key])
            for row in computed:
                read.update(range(windows.first(row), windows.end(row)))
        return read


class _SingleBand:
    """One band of a BandLowerBound, like a BandSchedule whose only band it is.

    before, after: {key: rows that exist before and after the band}. spans: {key: (first, end)}.
    """

    spilled, bands = False, 1

    def __init__(self, bound, before, after, spans):
        self.region, self.recomputed = bound.region, bound.recomputed
        self.before = before
        self._bound, self._after, self._spans = bound, after, spans

    def spans(self, key):
        return [self._spans[key]]

    def span(self, key, _):
        return self._spans[key]

    def first_needed(self, position, key):
        states = (self.before, self._after)
        return [self._bound.first_needed(position, key, rows) for rows in states]

    def rows_read(self, key):
        return self._bound.rows_read(key)
