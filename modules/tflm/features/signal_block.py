# tflm.features: SignalBlock: scales, decimates and filters the axes of slow signals.
# MIT license; Copyright (c) 2026 the tflm authors

import micropython

from . import filters, statistics, tables
from . import samples as integers
from .block import Block

_FILTER_BITS = 26  # of samples before a filter, whose peaks are higher
_LOWER_RATE = 10  # decimation for the spectrum of the low frequencies


class SignalBlock(Block):
    """The first part of the block Spectral Analysis, before the FFT or the wavelets.

    settings: Settings. padding: words of the work memory before and after the samples.
    """

    def __init__(self, settings, padding=0):
        values = settings.values
        super().__init__(settings)
        ratio = values["input_decimation_ratio"]
        self._ratios = {1: (), 3: (3,), 10: (10,), 30: (3, 10), 100: (10, 10)}.get(
            ratio, (10, 10, 10)
        )
        self._filters = {each: tables.decimation_table(each) for each in self._ratios}
        if settings.has_low_frequencies and _LOWER_RATE not in self._filters:
            self._filters[_LOWER_RATE] = tables.decimation_table(_LOWER_RATE)
        self._butterworth = None
        if values["filter_type"] != "none" and values["filter_order"]:
            self._butterworth = tables.butterworth_table(
                values["filter_type"], values["filter_order"], values["filter_cutoff"],
                settings.rate / ratio,
            )  # fmt: skip
        scale = values["scale_axes"]
        self._has_scale = scale != 1
        self._factor = self._constant(abs(scale))
        self._count = -(-self.length // ratio)
        self._reserve(padding)
        self._x = self._reserve(self.length)
        self._reserve(padding)

    # Store the `_count` filtered samples of an axis, with a mean of 0 and without scale-axes, at
    # `_x`; return their scale.
    @micropython.native
    def _filter_axis(self, samples, kind, axis):
        count = self.length
        x = self._x
        scale = self._load(x, samples, kind, axis)
        for ratio in self._ratios:
            scale += integers.normalize(self._work, x, count, _FILTER_BITS)
            count = self._decimate(count, ratio)
        if self._butterworth is not None:
            scale += integers.normalize(self._work, x, count, _FILTER_BITS)
            for section in range(len(self._butterworth) // 8):
                filters.filter_section(self._work, x, count, self._butterworth, section)
        return scale + statistics.centre(self._work, x, count)

    # Filter the samples again and keep each tenth; return the change of their scale.
    def _lower_rate(self):
        shift = integers.normalize(self._work, self._x, self._count, _FILTER_BITS)
        count = self._decimate(self._count, _LOWER_RATE)
        return shift + statistics.centre(self._work, self._x, count)

    # Filter `count` samples and keep each `ratio`-th; return their count. The filter starts as if
    # all samples before were equal to the first one.
    def _decimate(self, count, ratio):
        work = self._work
        x = self._x
        table = self._filters[ratio]
        first = integers.integer_at(work, x)
        integers.add_constant(work, x, count, 1, 0 - first)
        for section in range(len(table) // 8):
            filters.filter_section(work, x, count, table, section)
        integers.add_constant(work, x, count, ratio, filters.decimated(first))
        return -(-count // ratio)
