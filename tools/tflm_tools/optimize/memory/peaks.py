# tflm_tools: what a region in bands needs at least, whatever the plan, as its rows tell
# MIT license; Copyright (c) 2026 the tflm authors


def peak(progress, scratch_of):
    """Bytes that are in use at the same time in a Progress, at most: no plan needs less.

    scratch_of(place, rows): bytes of scratch that the operator there needs to make so many rows.
    """
    outputs = enumerate(progress.region.outputs)
    scratch = {place: scratch_of(place, progress.most_rows(key)) for place, key in outputs}
    return _all_run(progress, scratch).most


def peak_with(progress, scratch):
    """(the same, [what is in use at most without scratch while each operator runs]).

    scratch: {place: bytes} that are in use while the operator there runs, too.
    """
    rows = _all_run(progress, scratch)
    return rows.most, rows.used


def _all_run(progress, scratch):
    rows = _Rows(progress, scratch)
    given = progress.region.layout(progress.anew).given
    rows.begin({key: _used(progress, key) for key in given})
    for band in range(1, progress.bands + 1):
        rows.run(band)
    return rows


def peak_of_band(band, scratch_of):
    """The same as peak() in one band of a Glimpse."""
    spans = [band.span(key, 1) for key in band.region.outputs]
    scratch = {at: scratch_of(at, last - first) for at, (first, last) in enumerate(spans)}
    rows = _Rows(band, scratch)
    given = band.region.layout(band.anew).given
    rows.begin({key: band.used(key) for key in given}, band.before)
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


class Layout:
    """What of a Region is the same however high its bands are.

    anew: as a Progress has it. sizes: {key: bytes of a row}; given: keys of what is there before
    bands run. readers: {key: places} of values of which rows are not in use any more, once they
    are read. steps: for each operator, (the key of its output, bytes of a row of that, whether it
    gathers, is made anew, group by group, ends many groups, (key, place) of `readers` that it
    reads, what is made anew and read for the last time there).
    """

    def __init__(self, region, anew):
        values, ends = region.values.items(), {}
        self.sizes = {key: value.row_bytes // anew.get(key, 1) for key, value in values}
        self.given = [key for key, value in values if value.writer is None]
        self.readers = {}
        for key, value in values:
            places = [place for place, _ in value.readers]
            if key in anew:
                ends.setdefault(max(places), []).append(key)
            elif not value.stays and key != region.outputs[-1]:
                self.readers[key] = places
        self.steps = []
        for place, key in enumerate(region.outputs):
            times, groups = anew.get(key, 0), region.groups(place, anew)
            read = [(at, k) for at, k in region.read(place, anew) if k in self.readers]
            self.steps.append((
                key, self.sizes[key], region.ways[place].gathers, times > 0, times > 1,
                groups > 2, read, ends.get(place, ()),
            ))  # fmt: skip


class _Rows:
    """The rows of each value that are in use, operator by operator.

    total: bytes of all of them. most: what has been in use at the same time; used: of that the
    most without scratch while each operator runs.
    """

    def __init__(self, progress, scratch):
        self._progress, self._region = progress, progress.region
        self._layout = layout = progress.region.layout(progress.anew)
        self._first = {key: dict.fromkeys(places, 0) for key, places in layout.readers.items()}
        self._there = dict.fromkeys(progress.region.values, 0)  # what there is of each value
        self._there |= {key: progress.region.values[key].rows for key in layout.given}
        self._aside = {}  # place: bytes of rows that are there twice, till then
        self.used = [0] * len(layout.steps)
        # With the rows that bands make, scratch of each and the one before, and what it reads:
        # (what each reader of a value keeps, which of them this is, what it keeps behind each
        # band, bytes of a row).
        self._steps = []
        kept, first, sizes = progress.kept, self._first, layout.sizes
        for place, (*step, read, gone) in enumerate(layout.steps):
            reads = [(first[key], at, kept(at, key), sizes[key]) for at, key in read]
            both = scratch.get(place, 0), scratch.get(place - 1, 0)
            self._steps.append((*step, progress.spans(step[0]), *both, reads, gone))

    def begin(self, used, before=None):
        """Begin with `used` rows of what is there at first, or behind another band.

        before: {key: rows that are there} then.
        """
        layout = self._layout
        if before:
            self._there.update(before)
            for *_, reads, _ in self._steps:
                for keeps, at, kept, _ in reads:
                    keeps[at] = kept[0]
        there, anew = {**self._there, **used}, self._progress.anew
        self.total = sum(there[k] * size for k, size in layout.sizes.items() if k not in anew)
        for key, keeps in self._first.items():
            self.total -= min(keeps.values()) * layout.sizes[key]
        self.most = self.total

    def run(self, band):
        """Let all operators run in a band."""
        total, most, there, now = self.total, self.most, self._there, band - 1
        aside = self._aside if self._progress.apart else None
        for place, step in enumerate(self._steps):
            key, size, gathers, is_anew, *groups, spans, scratch, before, reads, gone = step
            in_groups, many = groups
            low, high = spans[now]
            scratch *= low < high
            if total + scratch > most:
                most = total + scratch
            if low < high or gathers:
                total += (high - (low if is_anew else there[key])) * size
                there[key] = high
                if total > self.used[place]:
                    self.used[place] = total
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
                total -= (high - low) * self._layout.sizes[each]
            if aside is not None:
                total -= aside.pop(place, 0)
            if total + scratch > most:
                most = total + scratch
            if aside is not None and self._region.values[key].inside:
                total += self._put_aside(key, band)
                most = max(most, total)
        self.total, self.most = total, most

    # Bytes of rows that are put aside for the next band, and there twice, as far as this one reads
    # them, too.
    def _put_aside(self, key, band):
        for place, _ in reversed(self._region.values[key].readers):
            first, last = self._progress.span(self._region.outputs[place], band)
            if first < last:
                rows = self._region.ways[place].rows
                start = max(rows.first(first), self._progress.held[key][band])
                size = max(0, rows.behind(last - 1) - start) * self._layout.sizes[key]
                self._aside[place] = self._aside.get(place, 0) + size
                return size
        return 0
