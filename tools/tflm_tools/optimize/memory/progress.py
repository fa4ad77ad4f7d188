# tflm_tools: which rows each band of a region makes, keeps and copies, and what that takes
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from ...model.schema import BuiltinOperator

# Cycles of a Cortex-M0+, measured with tests/perf/cycles.py: what layers of person_detect_int8
# take more in bands, divided by their calls.
_CALL = 4500  # a call of a kernel: the interpreter, and what the kernel does before its first row
_CHANNEL = 750  # of a depthwise convolution, which begins anew in each band


class Progress:
    """A Region in bands that make `height` rows of its last output each.

    made[key][b]: the row of a value behind the last one that is there once band b has run; band 0
    is before all. held[key][b]: the first row that its buffer holds then. bands: their number.
    """

    def __init__(self, region, height):
        self.region = region
        self.height = height
        last = region.values[region.outputs[-1]].rows
        self.bands = -(-last // height)
        self.made, self.held, self._needed = {}, {}, {}
        for place in range(len(region.nodes) - 1, -1, -1):
            key = region.outputs[place]
            value = region.values[key]
            if place == len(region.nodes) - 1:
                made = np.minimum(np.arange(self.bands + 1) * height, last)
            else:
                made = self._wanted(value)
            self.made[key] = made
            rows = region.ways[place].rows
            ends = np.maximum(made - 1, 0) * rows.stride - rows.top + rows.reach
            ends = np.clip(ends, 0, rows.input_rows)
            starts = np.clip(made * rows.stride - rows.top, 0, rows.input_rows)
            self._needed[place] = np.where(made > 0, ends, 0), starts, made >= rows.output_rows
        for key, value in region.values.items():
            made = self.made.setdefault(key, np.full(self.bands + 1, value.rows))
            kept = [self._kept(place, made) for place, _ in value.readers]
            self.held[key] = np.minimum.reduce(kept) if value.inside else made * 0

    # Rows of a value that its readers need by the end of each band; all of them in the end, where
    # others need them.
    def _wanted(self, value):
        made = np.maximum.reduce([self._needed[place][0] for place, _ in value.readers])
        if value.stays:
            made[-1] = value.rows
        return made

    # From which row on, of those that are there, the operator at a place needs them again.
    def _kept(self, place, made):
        _, starts, done = self._needed[place]
        return np.where(done, made, np.minimum(starts, made))

    def buffer_rows(self, key):
        """Rows of the buffer for a value that only the region needs."""
        return int((self.made[key][1:] - self.held[key][:-1]).max())

    def copied_rows(self, key):
        """Rows of a value that are copied to the front of their buffer at the end of each band."""
        held = self.held[key]
        rows = np.where(held[1:] > held[:-1], self.made[key][1:] - held[1:], 0)
        rows[-1] = 0
        return np.maximum(rows, 0)

    def cycles(self):
        """Cycles that all bands take more than the operators would one by one, about."""
        cycles = 0
        for place, node in enumerate(self.region.nodes):
            each = _CALL
            if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
                each += _CHANNEL * node.outputs[0].shape[-1]
            made = self.made[self.region.outputs[place]]
            cycles += each * (int((made[1:] > made[:-1]).sum()) - 1)
        for key, value in self.region.values.items():
            if value.inside:
                rows = self.copied_rows(key)
                cycles += _CALL * int((rows > 0).sum()) + value.row_bytes * int(rows.sum())
        return cycles

    def peak(self):
        """Bytes of values that are in use between two operators, at most: no plan needs less."""
        region = self.region
        count = len(region.nodes)
        total = np.zeros((count, self.bands))  # once an operator has run, in each band
        for key, value in region.values.items():
            made, first = np.empty_like(total, int), np.empty_like(total, int)
            made[:] = self.made[key][1:]
            if value.writer is not None:
                made[: value.writer] = self.made[key][:-1]
            first[:] = value.rows
            for place, _ in value.readers:
                kept = self._kept(place, self.made[key])
                first[:place] = np.minimum(first[:place], kept[:-1])
                first[place:] = np.minimum(first[place:], kept[1:])
            if value.stays or key == region.outputs[-1]:
                first[:] = 0
            total += np.maximum(made - first, 0) * value.row_bytes
        return int(total.max())
