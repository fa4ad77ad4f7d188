# tflm_tools: BandSchedule: which rows of a region each band computes, keeps and copies
# MIT license; Copyright (c) 2026 the tflm authors

from collections import Counter
from copy import copy
from operator import lt

from tflm.prepare.depthwise_lanes import band_rows, pair_rows

from ..model.schema import BuiltinOperator

# Cycles of a Cortex-M0+, fitted to steps of banded models that bench/cycles.py measures.
_BAND = 2000  # a band: the interpreter
_CALL = 3000  # a call of a kernel with its record, and what it does before its first row
_EMPTY_STEP = 500  # a step without rows
_COPY_CALL = 800  # a step that copies rows, or has none to copy
_COPIED_BYTE = 2.2
_JOIN_CALL = 1200  # a step that copies some channels
_JOINED_BYTE = 4
_JOINED_PIXEL = 10
# A depthwise convolution, which starts again in each band, and its planes with it.
_CHANNEL = 350
_PLANE_ROW_PAIR = 40  # two rows of the image
_PLANE_COLUMN = 10  # a column of such a pair


def min_cycles(region, position, height, recomputed, cycles_of):
    """Return a lower bound of BandSchedule(region, height, position, ...).cycles(cycles_of)."""
    dependencies = region.dependencies(position)
    bands, computed = dependencies.band_count(height), dependencies.computed_rows(height)
    cycles = _BAND * bands
    for at, key in enumerate(region.outputs):
        repeats = max(recomputed.get(key, 1), region.channel_groups(at, recomputed))
        calls = bands if region.accesses[at].is_reduction else len(set(computed[key])) - 1
        cycles += _CALL * repeats * calls + _EMPTY_STEP * repeats * (bands - calls)
        if key in recomputed:
            rows = region.feature_maps[key].rows
            more_rows = _min_recomputed_rows(region, key, computed) - rows
            cycles += cycles_of(region.nodes[at]) * more_rows // rows
    return cycles


# How many rows of a recomputed feature map all bands compute at least: what its first reader
# needs.
def _min_recomputed_rows(region, key, computed):
    position, _ = region.feature_maps[key].readers[0]
    rows, reader_rows = region.accesses[position].rows, computed[region.outputs[position]]
    return sum(
        rows.end(end - 1) - rows.first(first)
        for first, end in zip(reader_rows, reader_rows[1:], strict=False)
        if first < end
    )


# Cycles that a depthwise convolution needs to start all its channels, for `count` output rows.
def _plane_cycles(node, access, count):
    window, stride = access.rows.window, access.rows.stride
    columns = node.inputs[0].shape[3 - access.axis]
    plane_rows = band_rows(count, window, stride, columns) or count
    rows = [min(plane_rows, count - row) for row in range(0, count, plane_rows)]
    pairs = sum(pair_rows(each, window, stride) for each in rows)
    cycles = _CHANNEL * len(rows) + (_PLANE_ROW_PAIR + _PLANE_COLUMN * columns) * pairs
    return cycles * node.outputs[0].shape[-1]


class BandSchedule:
    """Which rows of each feature map of a region are computed, kept and copied in which band.

    A band computes `height` rows more of the output of one operator, the pacing operator. Bands
    have numbers from 1 on; band 0 is the state before them.

    computed[key][b]: how many rows exist after band b.
    first_held[key][b]: the first row that the buffer of a feature map holds after band b.
    recomputed: {key: number of channel groups} of feature maps of which no rows are kept: each
    band computes all rows that it needs. With several channel groups, the operator and its reader
    run for some channels at a time (channel_groups.py).
    spilled: rows that later bands need are kept in separate memory, not at the front of their
    buffer, which other tensors may then overlap between uses.
    unspilled: the same schedule with `spilled` False.
    memory_use: a cache of peak_memory.py.

    1. RowDependencies says how many rows each operator has computed after each band.
    2. Walk backwards through the operators: each one computes in a band the rows that do not exist
       yet, or, if recomputed, the rows that its readers' windows cover.
    3. The first row of a feature map that a later band reads again decides which rows are held.

    Source: Lin et al., MCUNetV2 (NeurIPS 2021), section 3, recomputes the rows that bands share.
    Here each feature map may also keep them, as in msf-CNN (Huang and Baccelli, 2025), and a
    region may have branches.
    """

    def __init__(self, region, height, pacing=None, spilled=False, recomputed=None):
        self.region = region
        self.height = height
        self.spilled = spilled
        self.unspilled = self
        self.recomputed = recomputed or {}
        self.pacing = len(region.nodes) - 1 if pacing is None else pacing
        dependencies = region.dependencies(self.pacing)
        self.bands = dependencies.band_count(height)
        self.computed = dependencies.computed_rows(height)
        self._derive()

    # Steps 2 and 3, from `computed`.
    def _derive(self):
        region, recomputed = self.region, self.recomputed
        self._spans, self._max_rows, self._next_row, self._first_needed = {}, {}, {}, {}
        self._copied, self._used, self.memory_use = {}, {}, None
        for position in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[position]
            spans = self._spans_of_readers(key) if key in recomputed else self._new_spans(key)
            self._spans[key] = spans
            self._next_row[key] = self._next_rows(spans)
        self.first_held = {}
        for key, feature_map in region.feature_maps.items():
            if key in recomputed:
                firsts = [first for first, _ in self._spans[key]]
                self.first_held[key] = [*firsts, feature_map.rows]
                continue
            needed = [self.first_needed(position, key) for position, _ in feature_map.readers]
            is_internal = feature_map.is_internal
            rows = zip(*needed, strict=True) if is_internal else ((0,) for _ in self._all_bands)
            self.first_held[key] = list(map(min, rows))

    # All bands, and band 0.
    @property
    def _all_bands(self):
        return range(self.bands + 1)

    def with_spilled_rows(self):
        """Return the same schedule with `spilled` True."""
        other = copy(self)
        other.spilled, other.unspilled = True, self.unspilled
        other._copied, other.memory_use = {}, None
        return other

    def with_warm_up_bands(self):
        """Return the schedule with further bands in front, or None if these do not help.

        Windows need many rows before the first output row. If buffers are high for the first band
        only, bands before it compute these rows, each one as many as the second band computes.
        """
        found, other = None, self._with_warm_up_band()
        while other is not None and other._buffer_bytes() < (found or self)._buffer_bytes():
            found, other = other, other._with_warm_up_band()
        return found

    # The schedule with one warm-up band, or None if that band would compute nothing or lack rows.
    def _with_warm_up_band(self):
        if self.bands < 2:
            return None
        computed = {key: self.computed[key] for key in self.region.outputs}
        warm_up = {key: max(0, 2 * rows[1] - rows[2]) for key, rows in computed.items()}
        for position, key in enumerate(computed):
            rows, count = self.region.accesses[position].rows, warm_up[key]
            needed = rows.end(count - 1) if count else 0
            inputs = self.region.inputs[position]
            available = [warm_up[source] for source in inputs if source in warm_up]
            if rows.rounded_up(count) != count or any(needed > each for each in available):
                return None
        if not any(warm_up.values()):
            return None
        other = copy(self)
        other.computed = {key: [*rows[:1], *rows] for key, rows in self.computed.items()}
        for key, rows in warm_up.items():
            other.computed[key][1] = rows
        other.bands += 1
        other.unspilled = other
        other._derive()
        return other

    # Bytes of the buffers of internal feature maps.
    def _buffer_bytes(self):
        feature_maps = self.region.feature_maps.items()
        return sum(self.buffer_rows(key) * m.row_bytes for key, m in feature_maps if m.is_internal)

    def spans(self, key):
        """Return span(key, band) of each band, as a list."""
        return self._spans[key]

    def span(self, key, band):
        """Return (first, end) of the rows of a feature map that a band computes."""
        return self._spans[key][band - 1]

    def max_rows(self, key):
        """Return the largest number of rows that a band computes."""
        if key not in self._max_rows:
            self._max_rows[key] = max(end - first for first, end in self._spans[key])
        return self._max_rows[key]

    def channel_groups(self, position):
        """Return in how many channel groups an operator runs together with its only source."""
        return self.region.channel_groups(position, self.recomputed)

    # For each band, and band 0, the first row that any later band computes, or None.
    @staticmethod
    def _next_rows(spans):
        next_rows, row = [None], None
        for first, end in reversed(spans):
            if first < end and (row is None or first < row):
                row = first
            next_rows.append(row)
        return next_rows[::-1]

    # The spans of a feature map of which each band computes rows that do not exist yet.
    def _new_spans(self, key):
        computed = self.computed[key]
        return list(zip(computed, computed[1:], strict=False))

    # The spans of a feature map of which each band computes what its readers need in it.
    def _spans_of_readers(self, key):
        region = self.region
        readers = {region.outputs[position] for position, _ in region.feature_maps[key].readers}
        spans = zip(*(self._spans[each] for each in readers), strict=True)
        return [region.rows_needed(key, dict(zip(readers, band, strict=True))) for band in spans]

    def first_needed(self, position, key):
        """Return for each band, and band 0, the first row that an operator needs after it.

        It is one of the rows that exist then, or the row after them.
        """
        if (position, key) not in self._first_needed:
            computed, access = self.computed[key], self.region.accesses[position]
            first = access.rows.first
            next_rows = zip(self._next_row[self.region.outputs[position]], computed, strict=True)
            self._first_needed[position, key] = (
                computed
                if access.is_reduction
                else [end if row is None else min(first(row), end) for row, end in next_rows]
            )
        return self._first_needed[position, key]

    def buffer_rows(self, key):
        """Return the rows of the buffer of an internal feature map."""
        held = self.first_held[key]
        return max(self.span(key, b)[1] - held[b - 1] for b in self._all_bands[1:])

    def copied_rows(self, key, band):
        """Return how many rows a band copies for later bands.

        They go to the front of their buffer, or, if spilled, to separate memory.
        """
        return self._copies(key)[band]

    # copied_rows() of all bands, and 0 for band 0.
    def _copies(self, key):
        if key not in self._copied:
            self._copied[key] = self._copied_by_band(key)
        return self._copied[key]

    def _copied_by_band(self, key):
        copied, computed, held = [0] * (self.bands + 1), self.computed[key], self.first_held[key]
        if key not in self.recomputed and self.region.feature_maps[key].is_internal:
            used = self._used_bands(key)
            for band in range(1, self.bands):
                if used[band] if self.spilled else held[band] > held[band - 1]:
                    copied[band] = max(0, computed[band] - held[band])
        return copied

    def restored_rows(self, key, band):
        """Return how many spilled rows a band copies back to the buffer."""
        used = self._used_bands(key)
        if not self.spilled or not used[band]:
            return 0
        earlier = (b for b in range(band - 1, 0, -1) if used[b])
        return self.copied_rows(key, next(earlier, self.bands))

    # For each band, and band 0, whether it computes or reads rows of a feature map.
    def _used_bands(self, key):
        if key not in self._used:
            readers = self.region.feature_maps[key].readers
            keys = {key, *(self.region.outputs[position] for position, _ in readers)}
            rows = (self.computed[each] for each in keys)
            advances = zip(*(map(lt, each, each[1:]) for each in rows), strict=True)
            self._used[key] = [False, *map(any, advances)]
        return self._used[key]

    def has_independent_bands(self):
        """Return True if no band uses what another band computed, so that any order is valid."""
        if any(each.is_reduction or not each.inputs for each in self.region.accesses):
            return False  # sums grow from band to band; a source delivers its rows in order
        return all(
            needed >= end
            for key, feature_map in self.region.feature_maps.items()
            if feature_map.writer is not None and key not in self.recomputed
            for position, _ in feature_map.readers
            for needed, end in zip(
                self.first_needed(position, key), self.computed[key], strict=True
            )
        )

    def cycles(self, cycles_of):
        """Return how many cycles more all bands need than the operators one by one, about.

        cycles_of(node): cycles of an operator by itself. copy_cycles() are not included.
        """
        cycles = _BAND * self.bands
        for position, node in enumerate(self.region.nodes):
            access, key = self.region.accesses[position], self.region.outputs[position]
            if access.is_reduction:  # the last call computes the output
                calls = len(set(self.computed[self.region.inputs[position][0]]))
            else:
                counts = [end - first for first, end in self._spans[key] if first < end]
                calls, rows = len(counts), self.region.feature_maps[key].rows
                if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
                    bands = Counter(counts).items()
                    cycles += sum(
                        times * _plane_cycles(node, access, count) for count, times in bands
                    )
                    cycles -= _plane_cycles(node, access, rows)
                if key in self.recomputed:
                    cycles += cycles_of(node) * (sum(counts) - rows) // rows
            repeats = self.recomputed.get(key, 1)
            if self.channel_groups(position) > 1:  # each group is followed by a copy
                repeats = self.channel_groups(position)
                pixels = node.outputs[0].elements() // node.outputs[0].shape[-1]
                cycles += (
                    _JOINED_BYTE * node.outputs[0].nbytes() + _JOINED_PIXEL * pixels * repeats
                )
                cycles += _JOIN_CALL * repeats * self.bands
            empty_steps = repeats * (self.bands - calls)
            cycles += _CALL * repeats * calls + _EMPTY_STEP * empty_steps
        return cycles

    def copy_cycles(self):
        """Return the cycles of copying rows for later bands, about."""
        cycles = 0
        for key, feature_map in self.region.feature_maps.items():
            rows = sum(self._copies(key)) if feature_map.is_internal else 0
            if rows:
                cycles += _COPY_CALL * self.bands + _COPIED_BYTE * feature_map.row_bytes * rows
        return 2 * cycles if self.spilled else cycles
