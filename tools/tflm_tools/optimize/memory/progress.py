# tflm_tools: which rows each band of a region makes, keeps and copies, and what that takes
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .paces import Paces


class Progress:
    """A Region in bands: one of the ways that a Paces holds.

    made[key][b]: the row of a value behind the last one that is there once band b has run; band 0
    is before all. held[key][b]: the first row that its buffer holds then. bands: their number.
    apart: rows that are kept lie in memory of their own, not at the front of their buffers. way:
    its place in the `paces`.
    """

    def __init__(self, paces, way, apart=False):
        self.region, self.anew = paces.region, paces.anew
        self.paces, self.apart = paces, apart
        self.way = way
        self.bands = int(paces.bands[way])
        self.made, self.held = self._lists(paces.made.get), self._lists(paces.held.get)
        self._spans = {}
        self._copied = self._lists(lambda key: paces.copied(key, apart))
        self._brought = self._lists(lambda key: paces.brought(key, apart))

    def _lists(self, array):
        return _Lists(array, self.way, self.bands + 1)

    @property
    def alone(self):
        """A Paces with this way only."""
        return self.paces.some(slice(self.way, self.way + 1))

    def led(self):
        """The same with bands in front (Paces.led()), or None where these are no use."""
        for _, paces, way in self.alone.led():
            return Progress(paces, way, self.apart)
        return None

    def spans(self, key):
        """span() of each band."""
        if key not in self._spans:
            ends = (rows[self.way, : self.bands].tolist() for rows in self.paces.spans[key])
            self._spans[key] = list(zip(*ends, strict=True))
        return self._spans[key]

    def span(self, key, band):
        """(the first, the one behind the last) of the rows that a band makes of a value."""
        return self.spans(key)[band - 1]

    def most_rows(self, key):
        """Rows of the largest span()."""
        first, last = self.paces.spans[key]
        return int(np.max(last[self.way] - first[self.way]))

    def groups(self, place):
        """Paces.groups()."""
        return self.paces.groups(place)

    def buffer_rows(self, key):
        """Rows of the buffer for a value that only the region needs."""
        return int(self.paces.buffer_rows(key)[self.way])

    def copied_rows(self, key, band):
        """Rows of a value that a band copies for later ones: to the front of their buffer, or to
        memory of their own."""
        return self._copied[key][band - 1]

    def brought_rows(self, key, band):
        """Rows of a value that a band brings back from memory of their own."""
        return self._brought[key][band - 1]


# {key: numbers of one way}, of arrays, each when it is asked for.
class _Lists(dict):
    def __init__(self, array, way, count):
        super().__init__()
        self._array, self.way, self._count = array, way, count

    def __missing__(self, key):
        found = self._array(key)[self.way, : self._count].tolist()
        self[key] = found
        return found


def progress_of(region, height, pace=None, apart=False, anew=None):
    """The Progress of bands of one height; pace: the place of what makes it, None for the last."""
    place = len(region.nodes) - 1 if pace is None else pace
    return Progress(Paces(region, [(height, place)], anew), 0, apart)
