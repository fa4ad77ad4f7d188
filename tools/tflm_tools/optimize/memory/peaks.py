# tflm_tools: what a region in bands needs at least, whatever the plan, as its rows tell
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .paces import least


def peaks(paces, apart=False, scratch=None):
    """Bytes that are in use at the same time in each way of a Paces, at most: no plan needs less.

    apart: rows that are kept lie in memory of their own. scratch: {place: bytes} that are in use
    while the operator there runs, too.
    """
    rows = _Rows(paces, apart, scratch or {})
    for place in range(len(paces.region.nodes)):
        rows.run(place)
    return rows.most()


class _Rows:
    """The rows of each value that are in use, operator by operator, in all bands at once.

    _more: bytes more than before its band. _most: the same, what has been in use at the same time.
    """

    def __init__(self, paces, apart, scratch):
        self._paces, self._apart, self._scratch = paces, apart, scratch
        self._region = region = paces.region
        self._size = {k: v.row_bytes // paces.anew.get(k, 1) for k, v in region.values.items()}
        self._first = {}  # what each reader of a value keeps
        self._ends = {}  # place: what is made anew and read for the last time there
        self._aside = {}  # place: bytes of rows that are there twice, till then
        for key, value in region.values.items():
            if key in paces.anew:
                last = max(place for place, _ in value.readers)
                self._ends.setdefault(last, []).append(key)
        last = region.outputs[-1]
        self._shape = paces.spans[last][0].shape
        self._more = np.zeros(self._shape, int)
        self._most = np.zeros(self._shape, int)

    def most(self):
        """What has been in use at the same time in each way, once all operators have run."""
        given = [key for key, value in self._region.values.items() if value.writer is None]
        start = sum((self._used(key) * self._size[key] for key in given), np.zeros(1, int))
        before = np.cumsum(self._more, axis=1) - self._more
        return start + np.maximum(0, np.max(before + self._most, axis=1))

    # Rows of an input that something reads: strides may leave some out.
    def _used(self, key):
        value, paces = self._region.values[key], self._paces
        if value.stays:
            return value.rows
        if len(value.readers) == 1:
            place, _ = value.readers[0]
            if self._region.outputs[place] not in paces.anew:
                made = paces.made[self._region.outputs[place]]
                return self._region.ways[place].tables.read[made[:, -1]]
        known, found = {}, []
        for way in range(len(paces.bands)):
            spans = tuple(self._made_at(place, way) for place, _ in value.readers)
            if spans not in known:
                known[spans] = self._count(value, spans)
            found.append(known[spans])
        return np.array(found)

    # The rows of an operator's output that a way makes: (first, behind the last) of each part.
    def _made_at(self, place, way):
        key = self._region.outputs[place]
        if key not in self._paces.anew:
            return ((0, int(self._paces.made[key][way, -1])),)
        first, last = self._paces.spans[key]
        return tuple(zip(first[way].tolist(), last[way].tolist(), strict=True))

    # How many rows of a value are read for such rows of the outputs of its readers.
    def _count(self, value, spans):
        used = set()
        for (place, _), parts in zip(value.readers, spans, strict=True):
            rows = self._region.ways[place].rows
            for first, last in parts:
                for row in range(first, last):
                    used.update(range(rows.first(row), rows.behind(row)))
        return len(used)

    def run(self, place):
        """Let an operator run in all bands."""
        paces, key = self._paces, self._region.outputs[place]
        low, high = paces.spans[key]
        size, times = self._size[key], paces.anew.get(key, 0)
        runs = low < high
        scratch = runs * self._scratch[place] if place in self._scratch else 0
        self._note(scratch)
        self._more += (high - low) * size  # no rows for what does not run
        if times > 1:  # what it reads stays for the last of its groups
            self._note(scratch)
        if paces.groups(place) > 2:  # one that is neither the first nor the last needs most
            self._note(np.maximum(scratch, runs * self._scratch.get(place - 1, 0)))
        if times > 1:
            return
        for at, source in paces.read(place):
            if self._is_freed(source):
                self._free(at, source)
        for each in self._ends.get(place, ()):
            first, last = paces.spans[each]
            self._more -= (last - first) * self._size[each]
        if self._apart:
            for at in [place - 1, place] if paces.groups(place) > 1 else [place]:
                self._more -= self._aside.pop(at, 0)
        self._note(scratch)
        if self._apart and self._region.values[key].inside:
            self._put_aside(key)
            self._note(0)

    # Note what is in use, and something else.
    def _note(self, other):
        np.maximum(self._most, self._more + other, out=self._most)

    # True for what may not be in use any more once it has been read.
    def _is_freed(self, key):
        is_last = key == self._region.outputs[-1]
        return not (self._region.values[key].stays or is_last or key in self._paces.anew)

    # An operator has read a value: rows that no reader keeps are not in use any more.
    def _free(self, at, key):
        if key not in self._first:
            readers = self._region.values[key].readers
            self._first[key] = {place: self._before(place, key) for place, _ in readers}
        keeps = self._first[key]
        was = least(list(keeps.values()))
        keeps[at] = self._paces.kept(at, key)[:, 1:]
        self._more -= (least(list(keeps.values())) - was) * self._size[key]

    # What a reader of a value keeps before each band.
    def _before(self, place, key):
        found = np.zeros(self._shape, int)
        found[:, 1:] = self._paces.kept(place, key)[:, 1:-1]
        return found

    # Bytes of rows that are put aside for the next band, and there twice, as far as this one reads
    # them, too.
    def _put_aside(self, key):
        held, is_put = self._paces.held[key][:, 1:], np.zeros(self._shape, bool)
        for place, _ in reversed(self._region.values[key].readers):
            first, last = self._paces.spans[self._region.outputs[place]]
            tables = self._region.ways[place].tables
            start = np.maximum(tables.first[first], held)
            size = np.maximum(0, tables.behind[last] - start) * self._size[key]
            size = np.where((first < last) & ~is_put, size, 0)
            is_put |= first < last
            self._aside[place] = self._aside.get(place, 0) + size
            self._more += size
