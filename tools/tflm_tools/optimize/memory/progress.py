# tflm_tools: which rows each band of a region makes, keeps and copies, and what that takes
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.prepare.depthwise_lanes import band_rows, pair_rows

from ...model.schema import BuiltinOperator

# Cycles of a Cortex-M0+, about: tests/perf/cycles.py of mlperf_kws_int8 in bands beside its whole
# layers, step by step. A step whose record changes takes more, so models with many short bands
# cost some percent more than this says (docs/memory.md has measured ones).
_BAND = 13000  # a band: the interpreter, and the changes of its records
_CALL = 3500  # a call of a kernel, and what it does before its first row
_EMPTY = 450  # a step without rows
_COPY = 3  # a byte that is copied
_CHANNEL = (
    200  # of a depthwise convolution, which begins anew in each band, and makes planes anew:
)
_PLANE_ROW = 40  # two rows of the image, and each
_PLANE_COLUMN = 10  # of their columns


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

    pace: the place of that operator, the last one if not given. What depends on it makes as many
    rows as it can in each band, and the others as many as this needs.
    made[key][b]: the row of a value behind the last one that is there once band b has run; band 0
    is before all. held[key][b]: the first row that its buffer holds then. bands: their number.
    apart: rows that are kept lie in memory of their own, not at the front of their buffers.
    """

    def __init__(self, region, height, pace=None, apart=False):
        self.region = region
        self.height = height
        self.apart = apart
        self.pace = len(region.nodes) - 1 if pace is None else pace
        rows = region.values[region.outputs[self.pace]].rows
        self.bands = -(-rows // height)
        whole = region.ways[self.pace].rows.whole
        self._all = range(self.bands + 1)
        self.made = {region.outputs[self.pace]: [whole(min(b * height, rows)) for b in self._all]}
        for place in range(self.pace + 1, len(region.nodes)):
            self._push(place)
        for place in range(len(region.nodes) - 1, -1, -1):
            if region.outputs[place] not in self.made:
                self.made[region.outputs[place]] = self._pull(region.values[region.outputs[place]])
        self.held = {}
        for key, value in region.values.items():
            self.made.setdefault(key, [value.rows] * len(self._all))
            self.held[key] = [
                min(self._kept(place, key, b) for place, _ in value.readers) if value.inside else 0
                for b in self._all
            ]

    # Rows of an operator's output that can be made of the inputs that are there, if it depends on
    # the one that sets the pace.
    def _push(self, place):
        given = [self.made[k] for k in self.region.inputs[place] if k in self.made]
        if given:
            rows = self.region.ways[place].rows
            made = [rows.possible(min(there)) for there in zip(*given, strict=True)]
            made[0] = 0  # also of what begins with rows of padding
            self.made[self.region.outputs[place]] = made

    # Rows of a value that its readers need by the end of each band; all of them in the end, where
    # others need them, and of an input by rows, whose source gives every row.
    def _pull(self, value):
        readers = [self._of(place) for place, _ in value.readers]
        whole = self.region.ways[value.writer].rows.whole
        wanted = [
            whole(max(rows.behind(made[b] - 1) if made[b] else 0 for rows, made in readers))
            for b in self._all
        ]
        if value.stays or not self.region.ways[value.writer].inputs:
            wanted[-1] = value.rows
        return wanted

    # (Rows of the operator at a place, what is made of its output).
    def _of(self, place):
        return self.region.ways[place].rows, self.made[self.region.outputs[place]]

    # From which row on, of those that are there, the operator at a place needs a value again.
    def _kept(self, place, key, band):
        rows, made = self._of(place)
        there = self.made[key][band]
        if self.region.ways[place].gathers:
            return there
        return there if made[band] >= rows.output_rows else min(rows.first(made[band]), there)

    def buffer_rows(self, key):
        """Rows of the buffer for a value that only the region needs."""
        made, held = self.made[key], self.held[key]
        return max(made[b] - held[b - 1] for b in self._all[1:])

    def copied_rows(self, key, band):
        """Rows of a value that are copied to the front of their buffer at the end of a band."""
        made, held = self.made[key], self.held[key]
        if band == self.bands or held[band] == held[band - 1]:
            return 0
        return max(0, made[band] - held[band])

    def cycles(self):
        """Cycles that all bands take more than the operators would one by one, about."""
        cycles = _BAND * self.bands
        for place, node in enumerate(self.region.nodes):
            way = self.region.ways[place]
            if way.gathers:  # and once more in the end
                made = *self.made[self.region.inputs[place][0]], -1
            else:
                made = self.made[self.region.outputs[place]]
                if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
                    counts = [b - a for a, b in zip(made, made[1:], strict=False) if b > a]
                    cycles += sum(_planes(node, way, count) for count in counts)
                    cycles -= _planes(node, way, made[-1])
            calls = len(set(made)) - 1
            cycles += _CALL * (calls - 1) + _EMPTY * (self.bands - calls)
        for key, value in self.region.values.items():
            if value.inside:
                rows = [self.copied_rows(key, band) for band in self._all[1:]]
                copies = _CALL * sum(map(bool, rows)) + _COPY * value.row_bytes * sum(rows)
                cycles += 2 * copies if self.apart else copies
        return cycles

    def peak(self):
        """Bytes of values that are in use between two operators, at most: no plan needs less."""
        region = self.region
        first, there, total = {}, {}, 0  # what each reader keeps, and what there is of each value
        size = {key: value.row_bytes for key, value in region.values.items()}
        for key, value in region.values.items():
            first[key] = {place: 0 for place, _ in value.readers}
            there[key] = value.rows if value.writer is None else 0
            total += there[key] * size[key]
        last = region.outputs[-1]
        most = total
        for band in self._all[1:]:
            for place, key in enumerate(region.outputs):
                made = self.made[key]
                if made[band] == made[band - 1] and not region.ways[place].gathers:
                    continue
                total += (made[band] - there[key]) * size[key]
                there[key] = made[band]
                for source in region.inputs[place]:
                    value, keeps = region.values[source], first[source]
                    if value.stays or source == last:
                        continue
                    before = min(keeps.values())
                    keeps[place] = self._kept(place, source, band)
                    total -= (min(keeps.values()) - before) * size[source]
                most = max(most, total)
        return most
