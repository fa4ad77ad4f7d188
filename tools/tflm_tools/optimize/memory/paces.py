# tflm_tools: Paces: which rows each band of a region makes, for bands of several heights at once
# MIT license; Copyright (c) 2026 the tflm authors

from copy import copy

import numpy as np

from .made_rows import made_by


class Paces:
    """A Region in bands, in several ways: arrays with a row for each, a column for each band.

    ways: [(height, place)]: each band makes so many rows more of the output of the operator at
    that place. What depends on it makes as many rows as it can in each band, and the others as
    many as this needs. anew: {key: groups}: values of which no rows are kept, each band makes all
    that it needs of them; in more than one group of channels, together with what reads them
    (channel_groups.py).
    bands[w]: how many there are; columns behind them are of bands without rows.
    made[key][w, b]: the row of a value behind the last one that is there once band b has run; band
    0 is before all. held[key][w, b]: the first row that its buffer holds then. spans[key]: (the
    first row that each band makes of it, the one behind the last), columns from band 1 on.
    """

    def __init__(self, region, ways, anew=None):
        self.region = region
        self.anew = anew or {}
        counts = [region.values[key].rows for key in region.outputs]
        self.bands = np.array([-(-counts[place] // height) for height, place in ways])
        shape = len(ways), max(self.bands) + 1
        self.made = {key: np.empty(shape, int) for key in region.outputs}
        for place in {place for _, place in ways}:
            which = [way for way, (_, at) in enumerate(ways) if at == place]
            made = made_by(region, place, [ways[way][0] for way in which], shape[1])
            for key, rows in made.items():
                self.made[key][which] = rows
        self._settle()

    # What follows from the rows that are made.
    def _settle(self):
        region = self.region
        self.spans, self._next = {}, {}
        self.forget()
        for place in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[place]
            made = self.made[key]
            self.spans[key] = (
                self._needed(key) if key in self.anew else (made[:, :-1], made[:, 1:])
            )
            self._next[key] = self._after(key)
        self.held = {}
        for key, value in region.values.items():
            if value.writer is None:
                self.made[key] = np.full(self._shape, value.rows)
            self.held[key] = self._held(key, value)

    def _held(self, key, value):
        if key in self.anew:
            held = np.full(self._shape, value.rows)
            np.copyto(held[:, :-1], self.spans[key][0], where=~self._is_over[:, :-1])
            return held
        if not value.inside:
            return np.zeros(self._shape, int)
        return least([self.kept(place, key) for place, _ in value.readers])

    # Ways, and columns.
    @property
    def _shape(self):
        return len(self.bands), max(self.bands) + 1

    # True in the column of the last band, and behind it.
    @property
    def _is_over(self):
        return np.arange(self._shape[1]) >= self.bands[:, None]

    def forget(self):
        """Let go of arrays that can be made again: searches keep thousands of Paces."""
        self._kept, self._copied, self._used = {}, {}, {}

    def some(self, which):
        """The Paces of the ways of that an index of arrays picks."""
        other = copy(self)
        other.bands = self.bands[which]
        columns = slice(max(other.bands) + 1)
        for name in ("made", "held", "_next"):
            arrays = getattr(self, name).items()
            setattr(other, name, {key: array[which, columns] for key, array in arrays})
        other.forget()
        columns = slice(max(other.bands))
        other.spans = {
            key: tuple(rows[which, columns] for rows in span) for key, span in self.spans.items()
        }
        return other

    def led(self):
        """[(place among these ways, its Paces, place in them)]: with bands in front, where of use.

        Windows begin with many rows at once: where buffers would be as high for the first band
        alone, bands before it make these, each as many as the second band adds.
        """
        found, numbers, now, before = {}, np.arange(len(self.bands)), self, self._buffers()
        while now is not None:
            numbers, now = now._led_by_one(numbers)
            if now is None:
                break
            buffers = now._buffers()
            is_less = np.flatnonzero(buffers < before[numbers])
            if not len(is_less):
                break
            numbers, now = numbers[is_less], now.some(is_less)
            before[numbers] = buffers[is_less]
            found.update((number, (now, place)) for place, number in enumerate(numbers))
        return [(number, *where) for number, where in found.items()]

    # (numbers of those that may have one band in front, of these of the ways; they with it).
    # None where that would make nothing, or had too little.
    def _led_by_one(self, numbers):
        is_fit = self.bands > 1
        if not is_fit.any():
            return numbers, None
        made = {key: self.made[key] for key in self.region.outputs}
        there = {key: np.maximum(0, 2 * rows[:, 1] - rows[:, 2]) for key, rows in made.items()}
        for place, key in enumerate(made):
            tables, count = self.region.ways[place].tables, there[key]
            is_fit &= tables.whole[count] == count
            for source in self.region.inputs[place]:
                if source in there:
                    is_fit &= tables.behind[count] <= there[source]
        is_fit &= np.any(list(there.values()), axis=0)
        which = np.flatnonzero(is_fit)
        if not len(which):
            return numbers, None
        other = copy(self)
        other.bands = self.bands[which] + 1
        columns = slice(max(other.bands))
        other.made = {
            key: np.insert(rows[which, columns], 1, there[key][which], axis=1)
            for key, rows in made.items()
        }
        other._settle()
        return numbers[which], other

    # Bytes of the buffers for what only the region needs.
    def _buffers(self):
        values = self.region.values.items()
        sizes = [self.buffer_rows(key) * value.row_bytes for key, value in values if value.inside]
        return np.sum(sizes, axis=0) if sizes else np.zeros(len(self.bands), int)

    def buffer_rows(self, key):
        """Rows of the buffer for a value that only the region needs."""
        return np.max(self.spans[key][1] - self.held[key][:, :-1], axis=1)

    def groups(self, place):
        """In how many groups of channels what makes the only input of an operator runs, and it."""
        sources = self.region.inputs[place]
        return self.anew.get(sources[0], 1) if len(sources) == 1 else 1

    def read(self, place):
        """[(place, key)] of what is read by the end of an operator, or of groups that it ends."""
        places = [place - 1, place] if self.groups(place) > 1 else [place]
        return [(at, key) for at in places for key in self.region.inputs[at]]

    def calls(self, place):
        """How many bands of each way an operator makes rows in."""
        first, last = self.spans[self.region.outputs[place]]
        return np.count_nonzero(first < last, axis=1)

    def summed(self, place, of):
        """The sum of of(rows) for the rows that an operator makes in each band that makes some."""
        first, last = self.spans[self.region.outputs[place]]
        counts = last - first
        times = np.bincount(counts.ravel())
        known = np.zeros(len(times), int)
        for count in np.flatnonzero(times).tolist():
            known[count] = of(count) if count else 0
        return known[counts].sum(axis=1)

    # The first row of a value that any band behind each one makes, or the one behind all.
    def _after(self, key):
        first, last = self.spans[key]
        rows = np.full(self._shape, self.region.values[key].rows)
        np.copyto(rows[:, :-1], first, where=first < last)
        return np.minimum.accumulate(rows[:, ::-1], axis=1)[:, ::-1]

    # The spans of a value of which each band makes what is read in it.
    def _needed(self, key):
        low, high, none = None, None, self.region.values[key].rows
        for place, _ in self.region.values[key].readers:
            first, last = self.spans[self.region.outputs[place]]
            tables = self.region.ways[place].tables
            begin, end = tables.first[first], tables.behind[last]
            is_read = (first < last) & (begin < end)
            begin, end = np.where(is_read, begin, none), np.where(is_read, end, 0)
            low = begin if low is None else np.minimum(low, begin)
            high = end if high is None else np.maximum(high, end)
        return np.where(low < high, low, 0), high

    def kept(self, place, key):
        """From which row on, of those there behind each band, an operator needs a value again."""
        if (place, key) not in self._kept:
            kept, way = self.made[key], self.region.ways[place]
            if not way.gathers:
                needed = way.tables.first[self._next[self.region.outputs[place]]]
                kept = np.minimum(needed, kept)
            self._kept[place, key] = kept
        return self._kept[place, key]

    def copied(self, key, apart):
        """Rows of a value that each band copies for later ones: to the front of their buffer, or
        to memory of their own. Columns from band 1 on."""
        if (key, apart) not in self._copied:
            held = self.held[key]
            found = np.zeros(self.spans[self.region.outputs[0]][0].shape, int)
            if key not in self.anew and self.region.values[key].inside:
                is_copied = self._is_used(key) if apart else held[:, 1:] > held[:, :-1]
                np.subtract(self.made[key][:, 1:], held[:, 1:], out=found, where=is_copied)
                np.maximum(found, 0, out=found)
                found[self._is_over[:, 1:]] = 0
            self._copied[key, apart] = found
        return self._copied[key, apart]

    # True for bands that make rows of a value, or read some.
    def _is_used(self, key):
        if key not in self._used:
            made = self.made[key]
            used = made[:, 1:] > made[:, :-1]
            for place, _ in self.region.values[key].readers:
                made = self.made[self.region.outputs[place]]
                used = used | (made[:, 1:] > made[:, :-1])
            self._used[key] = used
        return self._used[key]

    def brought(self, key, apart):
        """Rows of a value that each band brings back from memory of their own, as copied()."""
        copied = self.copied(key, apart)
        found = np.zeros(copied.shape, int)
        if apart:
            is_used, there = self._is_used(key), np.zeros(len(self.bands), int)
            for band in range(copied.shape[1]):
                found[:, band] = np.where(is_used[:, band], there, 0)
                there = np.where(is_used[:, band], copied[:, band], there)
        return found


def least(arrays):
    """What is least at each place of some arrays."""
    return arrays[0] if len(arrays) == 1 else np.minimum.reduce(arrays)
