# tflm_tools: what a region in bands needs at least, whatever the plan, as its rows tell
# MIT license; Copyright (c) 2026 the tflm authors


def peak(progress, scratch=None):
    """Bytes that are in use at the same time in a Progress, at most: no plan needs less.

    scratch: {place: bytes} that are in use while the operator there runs, too.
    """
    rows = _Rows(progress, scratch or {})
    rows.begin({key: _used(progress, key) for key in rows.given})
    for band in range(1, progress.bands + 1):
        rows.run(band)
    return rows.most


def peak_of_band(band):
    """The same in one band of a Glimpse."""
    rows = _Rows(band, {})
    rows.begin({key: band.used(key) for key in rows.given}, band.before)
    rows.run(1)
    return rows.most


# Rows of an input that something reads: strides may leave some out.
def _used(progress, key):
    region, used = progress.region, set()
    if region.values[key].stays:
        return region.values[key].rows
    for place, _ in region.values[key].readers:
        rows = region.ways[place].rows
        for first, last in progress.spans(region.outputs[place]):
            for row in range(first, last):
                used.update(range(rows.first(row), rows.behind(row)))
    return len(used)


class _Rows:
    """The rows of each value that are in use, operator by operator.

    total: bytes of all of them. most: what has been in use at the same time.
    """

    def __init__(self, progress, scratch):
        self._progress, self._scratch = progress, scratch
        self._region, self._anew = region, anew = progress.region, progress.anew
        self._size = {k: v.row_bytes // anew.get(k, 1) for k, v in region.values.items()}
        self._first = {}  # what each reader of a value keeps
        self._there = {}  # what there is of each value
        self._ends = {}  # place: what is made anew and read for the last time there
        self._aside = {}  # place: bytes of rows that are there twice, till then
        for key, value in region.values.items():
            self._first[key] = {place: 0 for place, _ in value.readers}
            self._there[key] = value.rows if value.writer is None else 0
            if key in anew:
                self._ends.setdefault(max(self._first[key]), []).append(key)
        self._steps = [self._step(place) for place in range(len(region.nodes))]
        self.given = [key for key, value in region.values.items() if value.writer is None]

    def begin(self, used, before=None):
        """Begin with `used` rows of what is there at first, or behind another band.

        before: {key: rows that are there} then.
        """
        self._there.update(before or {})
        self.total = 0
        for key, there in self._there.items():
            keeps = self._first[key]
            if before and self._is_freed(key):
                keeps.update((place, self._progress.kept(place, key)[0]) for place in keeps)
            if key not in self._anew:
                rows = used.get(key, there) - min(keeps.values(), default=0)
                self.total += rows * self._size[key]
        self.most = self.total

    # True when rows of a value may not be in use any more, once they are read.
    def _is_freed(self, key):
        is_last = key == self._region.outputs[-1]
        return not self._region.values[key].stays and not is_last and key not in self._anew

    # What is told of the operator at a place: (the key of its output, rows that each band makes,
    # bytes of one, scratch, that of the one before it, whether it gathers, is made anew, group by
    # group, ends many groups, what it reads, what is read for the last time there).
    def _step(self, place):
        progress, key = self._progress, self._region.outputs[place]
        times = self._anew.get(key, 0)
        return (
            key, progress.spans(key), self._size[key], self._scratch.get(place, 0),
            self._scratch.get(place - 1, 0), self._region.ways[place].gathers, times > 0,
            times > 1, self._region.groups(place, self._anew) > 2, self._freed(place),
            self._ends.get(place, ()),
        )  # fmt: skip

    def run(self, band):
        """Let all operators run in a band."""
        total, most, there = self.total, self.most, self._there
        aside = self._aside if self._progress.apart else None
        for place, step in enumerate(self._steps):
            key, spans, size, scratch, before, gathers, is_anew, *groups, reads, gone = step
            in_groups, many = groups
            low, high = spans[band - 1]
            if low == high:
                scratch = 0
            if total + scratch > most:
                most = total + scratch
            if low < high or gathers:
                total += (high - (low if is_anew else there[key])) * size
                there[key] = high
                if in_groups:
                    most = max(most, total + scratch)
                    continue  # so what it reads stays for the last one
                if many:  # one that is neither the first nor the last needs most
                    most = max(most, total + scratch, total + before)
            for keeps, at, kept, each in reads:
                was = min(keeps.values())
                keeps[at] = kept[band]
                total -= (min(keeps.values()) - was) * each
            for each in gone:
                low, high = self._progress.span(each, band)
                total -= (high - low) * self._size[each]
            if aside is not None:
                total -= aside.pop(place, 0)
            if total + scratch > most:
                most = total + scratch
            if aside is not None and self._region.values[key].inside:
                total += self._put_aside(key, band)
                most = max(most, total)
        self.total, self.most = total, most

    # [(what each reader of a value keeps, which of them this is, what it keeps behind each band,
    # bytes of a row)] of what an operator reads and may not be in use any more then.
    def _freed(self, place):
        return [
            (self._first[key], at, self._progress.kept(at, key), self._size[key])
            for at, key in self._region.read(place, self._anew)
            if self._is_freed(key)
        ]

    # Bytes of rows that are put aside for the next band, and there twice, as far as this one reads
    # them, too.
    def _put_aside(self, key, band):
        for place, _ in reversed(self._region.values[key].readers):
            first, last = self._progress.span(self._region.outputs[place], band)
            if first < last:
                rows = self._region.ways[place].rows
                start = max(rows.first(first), self._progress.held[key][band])
                size = max(0, rows.behind(last - 1) - start) * self._size[key]
                self._aside[place] = self._aside.get(place, 0) + size
                return size
        return 0
