# tflm_tools: counts the bytes that a region in bands uses at the same time, a bound for its arena
# MIT license; Copyright (c) 2026 the tflm authors

from math import inf


def peak_bytes(schedule):
    """Return the bytes of feature maps that every plan of a BandSchedule needs at least."""
    return peak_and_live_bytes(schedule, {})[0]


def peak_and_live_bytes(schedule, scratch):
    """Return (peak, [bytes in use at most while each operator runs, without scratch]).

    peak: bytes that every arena plan of a BandSchedule needs at least. scratch: {position: bytes}
    in use while the operator runs.
    """
    if schedule.memory_use is None:
        schedule.memory_use = _Usage(schedule)
        existing = schedule.region.memory(schedule.recomputed).existing
        schedule.memory_use.begin({key: _rows_read(schedule, key) for key in existing})
        for band in range(1, schedule.bands + 1):
            schedule.memory_use.run(band)
    return schedule.memory_use.peak_with(scratch), schedule.memory_use.live


def peak_bytes_of_band(band):
    """Return peak_bytes() of one band only.

    band: like a BandSchedule with one band, and with `before` ({key: rows that exist before it})
    and rows_read(key); see search/lower_bound.py.
    """
    usage = _Usage(band)
    existing = band.region.memory(band.recomputed).existing
    usage.begin({key: band.rows_read(key) for key in existing}, band.before)
    usage.run(1)
    return usage.peak


# How many rows of an input anything reads; strides may skip some.
def _rows_read(schedule, key):
    region = schedule.region
    feature_map, known = region.feature_maps[key], region.rows_read
    if feature_map.is_needed_after:
        return feature_map.rows
    computed = tuple(
        (position, *_merged(schedule.spans(region.outputs[position])))
        for position, _ in feature_map.readers
    )
    if (key, computed) not in known:
        read = set()
        for position, *spans in computed:
            rows = region.accesses[position].rows
            for first, end in spans:
                for row in range(first, end):
                    read.update(range(rows.first(row), rows.end(row)))
        known[key, computed] = len(read)
    return known[key, computed]


# Spans (first, end) in any order, of which those that touch or overlap become one.
def _merged(spans):
    merged = []
    for first, end in sorted(spans):
        if first < end:
            if merged and first <= merged[-1][1]:
                first, end = merged[-1][0], max(end, merged.pop()[1])
            merged.append((first, end))
    return merged


class RegionMemory:
    """What the memory of a Region depends on, apart from the height of bands.

    recomputed: as in a BandSchedule.
    row_bytes: {key: bytes of a row, of one channel group}.
    existing: keys of the feature maps that exist before the region runs.
    readers: {key: positions} of the feature maps whose rows are released once they are read.
    steps: for each operator (key of its output, bytes of a row of that, is_reduction, whether its
    output is recomputed, whether it runs in channel groups with the next operator, whether it ends
    more than two groups, [(position, key)] of `readers` that it reads, recomputed keys that it is
    the last one to read).
    """

    def __init__(self, region, recomputed):
        feature_maps, last_reads = region.feature_maps.items(), {}
        self.row_bytes = {
            key: each.row_bytes // recomputed.get(key, 1) for key, each in feature_maps
        }
        self.existing = [key for key, each in feature_maps if each.writer is None]
        self.readers = {}
        for key, feature_map in feature_maps:
            positions = [position for position, _ in feature_map.readers]
            if key in recomputed:
                last_reads.setdefault(max(positions), []).append(key)
            elif not feature_map.is_needed_after and key != region.outputs[-1]:
                self.readers[key] = positions
        self.steps = []
        for position, key in enumerate(region.outputs):
            groups = recomputed.get(key, 0)
            ended_groups = region.channel_groups(position, recomputed)
            reads = [
                (at, k) for at, k in region.keys_read(position, recomputed) if k in self.readers
            ]
            self.steps.append((
                key, self.row_bytes[key], region.accesses[position].is_reduction, groups > 0,
                groups > 1, ended_groups > 2, reads, last_reads.get(position, ()),
            ))  # fmt: skip


class _Usage:
    """The bytes in use while the operators of a schedule run, one after the other.

    total: bytes now. peak: the largest number of bytes so far. live: for each operator, the
    largest number of bytes while it runs. All three are without scratch.
    """

    def __init__(self, schedule):
        self._schedule, self._region = schedule, schedule.region
        self._memory = memory = schedule.region.memory(schedule.recomputed)
        # For each reader of a feature map, the first row that it still needs.
        self._first = {key: dict.fromkeys(at, 0) for key, at in memory.readers.items()}
        self._end = dict.fromkeys(schedule.region.feature_maps, 0)  # rows that exist
        self._end |= {key: schedule.region.feature_maps[key].rows for key in memory.existing}
        self._spilled = {}  # position of a reader: bytes of rows that exist twice until it has run
        self.live = [0] * len(memory.steps)
        # For each operator, the largest number of bytes while its scratch is in use, and while the
        # scratch of the operator before is in use.
        self._beside_scratch = [-inf] * len(memory.steps)
        self._beside_previous = [-inf] * len(memory.steps)
        # The steps of RegionMemory, with spans and reads: (first rows of all readers, this reader,
        # its first row after each band, bytes of a row).
        self._steps = []
        first_needed, row_bytes = schedule.first_needed, memory.row_bytes
        for *step, reads, released in memory.steps:
            reads = [(self._first[k], at, first_needed(at, k), row_bytes[k]) for at, k in reads]
            self._steps.append((*step, schedule.spans(step[0]), reads, released))

    def begin(self, read, before=None):
        """Start before the first band, or before another one.

        read: {key: rows that are read} of feature maps that exist. before: {key: rows that exist}.
        """
        memory = self._memory
        if before:
            self._end.update(before)
            for *_, reads, _ in self._steps:
                for firsts, reader, first_needed, _ in reads:
                    firsts[reader] = first_needed[0]
        rows, recomputed = {**self._end, **read}, self._schedule.recomputed
        self.total = sum(
            rows[key] * size for key, size in memory.row_bytes.items() if key not in recomputed
        )
        for key, firsts in self._first.items():
            self.total -= min(firsts.values()) * memory.row_bytes[key]
        self.peak = self.total

    def peak_with(self, scratch):
        """Return the peak with scratch: {position: bytes} in use while the operator runs."""
        peaks = [self._beside_scratch[at] + size for at, size in scratch.items()]
        peaks += [
            self._beside_previous[at] + scratch.get(at - 1, 0) for at in range(1, len(self.live))
        ]
        return max(self.peak, *peaks)

    def run(self, band):
        """Run all operators in a band: each one allocates its rows and releases those it read."""
        is_spilled, exist = self._schedule.spilled, self._end
        for position, step in enumerate(self._steps):
            (
                key, size, is_reduction, is_recomputed, begins_groups, ends_groups,
                spans, reads, released,
            ) = step  # fmt: skip
            (first, end), largest, is_group = spans[band - 1], self.total, False
            if first < end or is_reduction:
                self.total += (end - (first if is_recomputed else exist[key])) * size
                exist[key] = end
                if self.total > self.live[position]:
                    self.live[position] = self.total
                if begins_groups or ends_groups:
                    largest, is_group = self.total, begins_groups
                if ends_groups:  # groups between the first and the last one need most
                    most = max(self.total, self._beside_previous[position])
                    self._beside_previous[position] = most
            if not is_group:  # the last group releases what the group reads
                self._release(position, reads, released, band)
                largest = max(largest, self.total)
            if first < end and largest > self._beside_scratch[position]:
                self._beside_scratch[position] = largest
            if not is_group and is_spilled and self._region.feature_maps[key].is_internal:
                self.total += self._spill(key, band)
                largest = max(largest, self.total)
            if largest > self.peak:
                self.peak = largest

    # Release the rows that an operator has read in a band and that no operator reads later.
    def _release(self, position, reads, released, band):
        for firsts, reader, first_needed, row_bytes in reads:
            before = min(firsts.values())
            firsts[reader] = first_needed[band]
            self.total -= (min(firsts.values()) - before) * row_bytes
        for key in released:
            first, end = self._schedule.span(key, band)
            self.total -= (end - first) * self._memory.row_bytes[key]
        if self._spilled:
            self.total -= self._spilled.pop(position, 0)

    # Bytes of the rows that are copied to separate memory for the next band, as far as the current
    # band reads them, too: these rows exist twice.
    def _spill(self, key, band):
        for position, _ in reversed(self._region.feature_maps[key].readers):
            first, end = self._schedule.span(self._region.outputs[position], band)
            if first < end:
                rows = self._region.accesses[position].rows
                start = max(rows.first(first), self._schedule.first_held[key][band])
                size = max(0, rows.end(end - 1) - start) * self._memory.row_bytes[key]
                self._spilled[position] = self._spilled.get(position, 0) + size
                return size
        return 0
