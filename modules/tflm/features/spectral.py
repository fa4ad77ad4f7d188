# tflm.features: the blocks Spectral Analysis and Flatten, for motion and other slow signals.
# MIT license; Copyright (c) 2026 the tflm authors

import micropython

from . import samples as integers
from . import statistics, tables
from .block import Block
from .fft import max_hold
from .scalars import ADD, MUL, replace_zeros
from .signal_block import SignalBlock


def _log2(number):
    power = 0
    while number >> power + 1:
        power += 1
    return power


class SpectralAnalysis(SignalBlock):
    """Edge Impulse's block Spectral Analysis with FFT, versions 2 to 4.

    For each axis: RMS, skewness, kurtosis; from version 4 skewness and kurtosis of the spectrum;
    then the spectrum: for each bin the largest power of all segments of the window.
    """

    def __init__(self, settings):
        values = settings.values
        super().__init__(settings)
        self._fft_length = size = values["fft_length"]
        self._pairs = size // 2
        self._step = size // 2 if values["do_fft_overlap"] else size
        self._is_log = values["do_log"]
        self._has_spectral = settings.version >= 4
        self._has_low = settings.has_low_frequencies
        self._bins = settings.bins
        self._low_bins = settings.low_bins if self._has_low else (0, 0)
        self._low_count = -(-self._count // 10)
        self._table = tables.fft_table(size)

        # For fft.power(), without the scale of the samples.
        self._exponent = 156 + 28 + 2 * _log2(self._pairs) - _log2(size)
        scale = values["scale_axes"]
        self._sign = self._constant(-1 if scale < 0 else 1)
        self._square = self._constant(scale * scale)
        self._tiny = self._constant(1e-10)
        self._to_log10 = self._constant(0.4342944819)
        self._data = self._reserve(2 * self._pairs)
        self._reserve(4)  # for statistics in front of the spectrum
        self._spectrum = self._reserve(self._pairs + 1)
        self._columns = self._row_size(self._bins)
        self._allocate()

    def _row_size(self, bins):
        return (5 if self._has_spectral else 3) + bins[1] - bins[0]

    def _compute(self, samples, kind, sink):
        low_position = self.axes * self._columns
        low_columns = self._row_size(self._low_bins)
        for axis in range(self.axes):
            scale = self._filter_axis(samples, kind, axis)
            self._extract(self._count, scale, self._bins, sink, axis * self._columns)
            if self._has_low:
                scale += self._lower_rate()
                at = low_position + axis * low_columns
                self._extract(self._low_count, scale, self._low_bins, sink, at)

    # Store the features of the samples of an axis.
    @micropython.native
    def _extract(self, count, scale, bins, sink, position):
        work = self._work
        spectrum = self._spectrum
        all_bins = self._pairs + 1
        max_hold(
            work, self._x, count, self._step, self._data, self._pairs, self._table, spectrum,
            self._exponent - 2 * scale,
        )  # fmt: skip
        first = bins[0]
        end = bins[1]
        # The statistics are in front of the bins that are features.
        row = spectrum + first - 3
        if self._has_spectral:
            data = self._data
            exponent = integers.largest(work, spectrum, 1, all_bins)
            integers.load(work, data, work, integers.FLOAT32, spectrum, 1, all_bins, exponent)
            statistics.centre(work, data, all_bins)
            self._statistics(data, all_bins, 28, row)
            row -= 2
        self._statistics(self._x, count, scale, row)
        if self._has_scale:
            self._scale(row, spectrum + first, end - first)
        if self._is_log:
            s = self._scalars
            replace_zeros(work, spectrum + first, end - first, self._tiny)
            s.log(spectrum + first, end - first)
            s.each(MUL, spectrum + first, end - first, self._to_log10)
        sink.write(work, row, spectrum + end - row, position)

    # Multiply the axis by scale-axes: its RMS, its skewness by the sign, and the spectrum.
    def _scale(self, row, spectrum, count):
        s = self._scalars
        s.combine(MUL, row, row, self._factor)
        s.combine(MUL, row + 1, row + 1, self._sign)
        s.each(MUL, spectrum, count, self._square)


class Flatten(Block):
    """Edge Impulse's block Flatten: statistics of each axis."""

    def __init__(self, settings):
        super().__init__(settings)
        scale = settings.values["scale_axes"]
        self._flags = [
            ("average", "minimum", "maximum", "rms", "stdev", "skewness", "kurtosis").index(name)
            for name in settings.flags
        ]
        self._is_negative = scale < 0
        self._factor = self._constant(scale)
        self._size_factor = self._constant(abs(scale))
        self._sign = self._constant(-1 if scale < 0 else 1)
        self._x = self._reserve(self.length)
        self._row = self._reserve(7)
        self._temporary = self._reserve(2)
        self._allocate()

    def _compute(self, samples, kind, sink):
        work = self._work
        s = self._scalars
        row = self._row
        x = self._x
        t = self._temporary
        count = self.length
        position = 0
        for axis in range(self.axes):
            scale = self._load(x, samples, kind, axis)
            scale += integers.normalize(work, x, count, 28)
            statistics.extremes(work, x, count, t)
            s.from_int(row + 1 + int(self._is_negative), t)
            s.from_int(row + 2 - int(self._is_negative), t + 1)
            mean = statistics.mean(work, x, count)
            integers.put(work, t, mean)
            s.from_int(row, t)
            for i in range(3):
                s.scale(row + i, 0 - scale)
                s.combine(MUL, row + i, row + i, self._factor)
            scale += statistics.centre(work, x, count)
            self._statistics(x, count, scale, row + 4)
            s.combine(MUL, row + 4, row + 4, self._size_factor)
            s.combine(MUL, row + 5, row + 5, self._sign)
            s.combine(MUL, t, row, row)
            s.combine(MUL, row + 3, row + 4, row + 4)
            s.combine(ADD, t, t, row + 3)
            s.sqrt(row + 3, t)
            for i in self._flags:
                sink.write(work, row + i, 1, position)
                position += 1
