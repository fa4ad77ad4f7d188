# tflm_tools: which rows each band of a region makes, keeps and copies, and what that takes
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from copy import copy

from tflm.prepare.depthwise_lanes import band_rows, pair_rows

from ...model.schema import BuiltinOperator

# Cycles of a Cortex-M0+, fitted to steps of models in bands that bench/cycles.py measures.
_BAND = 2000  # a band: the interpreter
_CALL = 3000  # a call of a kernel with its record, and what it does before its first row
_EMPTY = 500  # a step without rows
_COPY_CALL = 800  # a step that copies rows, or none
_COPY = 2.2  # a byte of these
_JOIN_CALL = 1200  # a step that copies some channels
_JOINED = 4  # a byte of these
_PIXEL = 10
_CHANNEL = 350  # of a depthwise convolution, which begins anew in each band, and makes planes anew
_PLANE_ROW = 40  # two rows of the image, and each
_PLANE_COLUMN = 10  # of their columns


def cycles_at_least(region, place, height, anew, cycles_of):
    """What Progress.cycles() of one that is made with these gives at least."""
    pace = region.pace(place)
    bands, made = pace.bands(height), pace.made(height)
    cycles = _BAND * bands
    for at, key in enumerate(region.outputs):
        times = max(anew.get(key, 1), region.groups(at, anew))
        calls = bands if region.ways[at].gathers else len(set(made[key])) - 1
        cycles += _CALL * (times * calls - 1) + _EMPTY * times * (bands - calls)
        if key in anew:
            rows = region.values[key].rows
            cycles += cycles_of(region.nodes[at]) * (_least_rows(region, key, made) - rows) // rows
    return cycles


# Rows of a value that all bands make at least, where each makes all that its first reader needs.
def _least_rows(region, key, made):
    place, _ = region.values[key].readers[0]
    rows, there = region.ways[place].rows, made[region.outputs[place]]
    return sum(
        rows.behind(last - 1) - rows.first(first)
        for first, last in zip(there, there[1:], strict=False)
        if first < last
    )


# Cycles that a depthwise convolution takes to begin its channels, for some rows of the output.
def _planes(node, way, count):
    reach, stride = way.rows.reach, way.rows.stride
    columns = node.inputs[0].shape[3 - way.axis]
    most = band_rows(count, reach, stride, columns) or count
    rows = [min(most, count - row) for row in range(0, count, most)]
    planes = sum(pair_rows(each, reach, stride) for each in rows)
    each = _CHANNEL * len(rows) + (_PLANE_ROW + _PLANE_COLUMN * columns) * planes
    return each * node.outputs[0].shape[-1]


class Progress:
    """A Region in bands, each of which makes `height` rows more of the output of one operator.

    pace: the place of that operator, the last one if not given; the others keep up with it.
    made[key][b]: the row of a value behind the last one that is there once band b has run; band 0
    is before all. held[key][b]: the first row that its buffer holds then. bands: their number.
    apart: rows that are kept lie in memory of their own, not at the front of their buffers; plain:
    the same where they do not.
    anew: {key: groups}: values of which no rows are kept, each band makes all that it needs of
    them; in more than one group of channels, together with what reads them (channel_groups.py).
    """

    def __init__(self, region, height, pace=None, apart=False, anew=None):
        self.region = region
        self.height = height
        self.apart = apart
        self.plain = self
        self.anew = anew = anew or {}
        self.pace = len(region.nodes) - 1 if pace is None else pace
        pace = region.pace(self.pace)
        self.bands, self.made = pace.bands(height), pace.made(height)
        self._settle()

    # What follows from the rows that are made.
    def _settle(self):
        region, anew = self.region, self.anew
        self._spans, self._most, self._next, self._kept, self._copied = {}, {}, {}, {}, {}
        for place in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[place]
            self._spans[key] = self._needed(key) if key in anew else self._added(key)
            self._next[key] = self._after(self._spans[key])
        self.held = {}
        for key, value in region.values.items():
            if key in anew:
                self.held[key] = [first for first, _ in self._spans[key]] + [value.rows]
                continue
            kept = [self.kept(place, key) for place, _ in value.readers]
            rows = zip(*kept, strict=True) if value.inside else ((0,) for _ in self._all)
            self.held[key] = list(map(min, rows))

    # All bands, and what is before them.
    @property
    def _all(self):
        return range(self.bands + 1)

    def with_rows_apart(self):
        """The same where rows that are kept lie in memory of their own."""
        other = copy(self)
        other.apart, other.plain, other._copied = True, self.plain, {}
        return other

    def led(self):
        """The same with bands in front, or None where these are no use.

        Windows begin with many rows at once: where buffers would be as high for the first band
        alone, bands before it make these, each as many as the second band adds.
        """
        found, other = None, self._led_by_one()
        while other is not None and other._buffers() < (found or self)._buffers():
            found, other = other, other._led_by_one()
        return found

    # The same with one band in front, or None where that would make nothing, or had too little.
    def _led_by_one(self):
        if self.bands < 2:
            return None
        made = {key: self.made[key] for key in self.region.outputs}
        there = {key: max(0, 2 * rows[1] - rows[2]) for key, rows in made.items()}
        for place, key in enumerate(made):
            rows, count = self.region.ways[place].rows, there[key]
            needed = rows.behind(count - 1) if count else 0
            sources = [there[source] for source in self.region.inputs[place] if source in there]
            if rows.whole(count) != count or any(needed > source for source in sources):
                return None
        if not any(there.values()):
            return None
        other = copy(self)
        other.made = {key: [*rows[:1], *rows] for key, rows in self.made.items()}
        for key, rows in there.items():
            other.made[key][1] = rows
        other.bands += 1
        other.plain = other
        other._settle()
        return other

    # Bytes of the buffers for what only the region needs.
    def _buffers(self):
        values = self.region.values.items()
        return sum(self.buffer_rows(key) * v.row_bytes for key, v in values if v.inside)

    def spans(self, key):
        """span() of each band."""
        return self._spans[key]

    def span(self, key, band):
        """(the first, the one behind the last) of the rows that a band makes of a value."""
        return self._spans[key][band - 1]

    def most_rows(self, key):
        """Rows of the largest span()."""
        if key not in self._most:
            self._most[key] = max(last - first for first, last in self._spans[key])
        return self._most[key]

    def groups(self, place):
        """In how many groups of channels what makes the only input of an operator runs, and it."""
        return self.region.groups(place, self.anew)

    # The first row of a value that any band behind each one makes, or None.
    @staticmethod
    def _after(spans):
        found, row = [None], None
        for first, last in reversed(spans):
            if first < last and (row is None or first < row):
                row = first
            found.append(row)
        return found[::-1]

    # The spans of a value of which each band makes the rows that are not there yet.
    def _added(self, key):
        made = self.made[key]
        return list(zip(made, made[1:], strict=False))

    # The spans of a value of which each band makes what is read in it.
    def _needed(self, key):
        readers = {self.region.outputs[place] for place, _ in self.region.values[key].readers}
        spans = zip(*(self._spans[each] for each in readers), strict=True)
        return [self.region.needed(key, dict(zip(readers, band, strict=True))) for band in spans]

    def kept(self, place, key):
        """From which row on, of those there behind each band, an operator needs a value again."""
        if (place, key) not in self._kept:
            made, way = self.made[key], self.region.ways[place]
            first = way.rows.first
            rows = zip(self._next[self.region.outputs[place]], made, strict=True)
            self._kept[place, key] = (
                made
                if way.gathers
                else [there if row is None else min(first(row), there) for row, there in rows]
            )
        return self._kept[place, key]

    def buffer_rows(self, key):
        """Rows of the buffer for a value that only the region needs."""
        held = self.held[key]
        return max(self.span(key, b)[1] - held[b - 1] for b in self._all[1:])

    def copied_rows(self, key, band):
        """Rows of a value that a band copies for later ones: to the front of their buffer, or to
        memory of their own."""
        return self._copies(key)[band]

    # copied_rows() of each band, and of none before them.
    def _copies(self, key):
        if key not in self._copied:
            self._copied[key] = self._all_copied(key)
        return self._copied[key]

    def _all_copied(self, key):
        found, made, held = [0] * (self.bands + 1), self.made[key], self.held[key]
        if key not in self.anew and self.region.values[key].inside:
            for band in range(1, self.bands):
                if self._is_used(key, band) if self.apart else held[band] > held[band - 1]:
                    found[band] = max(0, made[band] - held[band])
        return found

    def brought_rows(self, key, band):
        """Rows of a value that a band brings back from memory of their own."""
        if not self.apart or not self._is_used(key, band):
            return 0
        before = (b for b in range(band - 1, 0, -1) if self._is_used(key, b))
        return self.copied_rows(key, next(before, self.bands))

    # True when a band makes rows of a value, or reads some.
    def _is_used(self, key, band):
        keys = [key, *(self.region.outputs[place] for place, _ in self.region.values[key].readers)]
        return any(self.made[each][band] > self.made[each][band - 1] for each in keys)

    def cycles(self, cycles_of):
        """Cycles that all bands take more than the operators would one by one, about.

        cycles_of(node): those of an operator by itself. Those of copying() are not among them.
        """
        cycles = _BAND * self.bands
        for place, node in enumerate(self.region.nodes):
            way, key = self.region.ways[place], self.region.outputs[place]
            if way.gathers:  # and once more in the end
                calls = len(set(self.made[self.region.inputs[place][0]]))
            else:
                counts = [last - first for first, last in self._spans[key] if first < last]
                calls, rows = len(counts), self.region.values[key].rows
                if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
                    bands = Counter(counts).items()
                    cycles += sum(times * _planes(node, way, count) for count, times in bands)
                    cycles -= _planes(node, way, rows)
                if key in self.anew:
                    cycles += cycles_of(node) * (sum(counts) - rows) // rows
            times = self.anew.get(key, 1)
            if self.groups(place) > 1:  # each with a copy
                times = self.groups(place)
                pixels = node.outputs[0].elements() // node.outputs[0].shape[-1]
                cycles += _JOINED * node.outputs[0].nbytes() + _PIXEL * pixels * times
                cycles += _JOIN_CALL * times * self.bands
            cycles += _CALL * (times * calls - 1) + _EMPTY * times * (self.bands - calls)
        return cycles

    def copying(self):
        """Cycles of the copies of rows, about."""
        cycles = 0
        for key, value in self.region.values.items():
            rows = sum(self._copies(key)) if value.inside else 0
            if rows:
                cycles += _COPY_CALL * self.bands + _COPY * value.row_bytes * rows
        return 2 * cycles if self.apart else cycles
