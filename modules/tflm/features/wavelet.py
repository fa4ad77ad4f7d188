# tflm.features: the block Spectral Analysis with wavelets instead of an FFT.
# MIT license; Copyright (c) 2026 the tflm authors

import math

import micropython

from . import samples as integers
from . import statistics, tables
from .scalars import ADD, MUL, SUB, clear
from .settings import WAVELET_FEATURES
from .signal_block import SignalBlock

_BINS = 100  # of the histogram whose entropy is a feature
_BITS = 26  # of samples before decompose(), and of coefficients before their statistics

# Positions of features in the row of a level.
_ENTROPY, _CROSSINGS, _PERCENTILES, _MEAN, _STDEV, _VARIANCE, _RMS, _SKEWNESS = (
    0, 1, 3, 8, 9, 10, 11, 12,
)  # fmt: skip


@micropython.viper
def mirror(work: ptr32, at: int, count: int, padding: int):
    """Store `padding` samples before and after `count` samples, as a mirror at each end does."""
    x = ptr32(int(work) + 4 * at)
    before = ptr32(int(work) + 4 * (at - padding))
    i = 0
    while i < padding:
        before[padding - 1 - i] = x[i]
        x[count + i] = x[count - 1 - i]
        i += 1


@micropython.viper
def decompose(work: ptr32, at: int, count: int, table: ptr32, taps: int, low: int, high: int):
    """Store `count` coefficients of the low-pass filter at `low`, of the high-pass one at `high`.

    at: samples below 2 ** 26, with taps - 1 mirrored samples before and after them. table: of
    tables.wavelet_table(). Coefficient i is the sum of filter[j] * sample[2 * i + 1 - j].

    Each product is (a * 2 ** 14 + b) * (c * 2 ** 14 + d) without b * d, with 28 fractional bits.
    The sums wrap at 32 bits, but their results fit: the absolute values of each filter's
    coefficients have a sum below 3.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    i = 0
    while i < count:
        x = ptr32(int(work) + 4 * (at + 2 * i + 1))
        c = ptr32(table)
        end = int(table) + 16 * taps
        a = 0
        a_low = 0
        b = 0
        b_low = 0
        while int(c) < end:
            value = (x[0] << sign) >> sign
            rest = value & 0x3FFF
            value = value >> 14
            a += value * c[0]
            a_low += value * c[1] + rest * c[0]
            b += value * c[2]
            b_low += value * c[3] + rest * c[2]
            x = ptr32(int(x) - 4)
            c = ptr32(int(c) + 16)
        work[low + i] = a + (((a_low << sign) >> sign) + 0x2000 >> 14)
        work[high + i] = b + (((b_low << sign) >> sign) + 0x2000 >> 14)
        i += 1


@micropython.viper
def crossings(work: ptr32, at: int, count: int, mean: int, target: int):
    """Store how often neighbours are on different sides of 0, and of the mean, at `target`."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    end = at + count
    value = (work[at] << sign) >> sign
    is_positive = 1 if value > 0 else 0
    is_above = 1 if value > mean else 0
    zeros = 0
    means = 0
    while at < end:
        value = (work[at] << sign) >> sign
        side = 1 if value > 0 else 0
        zeros += side ^ is_positive
        is_positive = side
        side = 1 if value > mean else 0
        means += side ^ is_above
        is_above = side
        at += 1
    work[target] = zeros
    work[target + 1] = means


@micropython.viper
def sort(work: ptr32, at: int, count: int):
    """Sort integers: Shell's method with gaps of 1, 4, 13, 40..."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    x = ptr32(int(work) + 4 * at)
    gap = 1
    while 3 * gap < count:
        gap = 3 * gap + 1
    while gap:
        i = gap
        while i < count:
            value = (x[i] << sign) >> sign
            j = i - gap
            while j >= 0 and (x[j] << sign) >> sign > value:
                x[j + gap] = x[j]
                j -= gap
            x[j + gap] = value
            i += 1
        gap = gap // 3


@micropython.viper
def percentiles(work: ptr32, at: int, count: int, target: int):
    """Store the 5th, 25th, 75th, 95th and 50th percentile of sorted integers at `target`."""
    last = count - 1
    work[target] = work[at + (5 * last + 50) // 100]
    work[target + 1] = work[at + (25 * last + 50) // 100]
    work[target + 2] = work[at + (75 * last + 50) // 100]
    work[target + 3] = work[at + (95 * last + 50) // 100]
    work[target + 4] = work[at + (50 * last + 50) // 100]


@micropython.viper
def bin_sizes(work: ptr32, at: int, count: int, target: int) -> int:
    """Store the sizes of bins of a histogram of sorted integers below 2 ** 27; return how many.

    The histogram has 100 bins between the least and the greatest integer. Bins with less than two
    integers are left out.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (work[at] << sign) >> sign
    span = ((work[at + count - 1] << sign) >> sign) - low >> 1
    if span == 0:
        work[target] = count
        return 1
    sizes = 0
    size = 0
    previous = 0
    end = at + count
    while at < end:
        rest = 10 * (((work[at] << sign) >> sign) - low >> 1)
        tens = rest // span
        number = 10 * tens + 10 * (rest - tens * span) // span
        if number > 99:
            number = 99
        if number != previous:
            if size > 1:
                work[target + sizes] = size
                sizes += 1
            size = 0
            previous = number
        size += 1
        at += 1
    if size > 1:
        work[target + sizes] = size
        sizes += 1
    return sizes


class WaveletAnalysis(SignalBlock):
    """Edge Impulse's block Spectral Analysis with wavelets, versions 3 and 4.

    For each axis and each level of the decomposition, the approximation first: entropy, crossings
    of 0 and of the mean, percentiles (5, 25, 75, 95, 50), mean, standard deviation, variance, RMS,
    skewness and kurtosis of the coefficients.
    Source: the reference's dwt_features(), with the mirrored ends of PyWavelets.
    """

    def __init__(self, settings):
        values = settings.values
        self._table = tables.wavelet_table(values["wavelet"])
        self._taps = len(self._table) // 4
        padding = self._taps - 1
        super().__init__(settings, padding)
        self._levels = values["wavelet_level"]
        self._is_negative = values["scale_axes"] < 0
        # The number of coefficients of each level, from the samples on.
        self._counts = [self._count]
        for _ in range(self._levels):
            self._counts.append((self._counts[-1] + padding) // 2)
        # The count, its logarithm and count / (count - 1) of each level.
        self._facts = []
        for count in self._counts:
            self._facts.append(self._constant(count))
            self._constant(math.log(count))
            self._constant(count / (count - 1))
        if self._levels:
            self._reserve(padding)
            self._other = self._reserve(self._counts[1])
            self._reserve(padding)
            self._details = self._reserve(self._counts[1])
        sizes = min(_BINS, max(self._counts) // 2 + 1)
        self._sizes = self._reserve(sizes)
        self._logarithms = self._reserve(sizes)
        self._row = self._reserve(WAVELET_FEATURES)
        self._temporary = self._reserve(1)
        self._allocate()

    def _compute(self, samples, kind, sink):
        work = self._work
        for axis in range(self.axes):
            at = self._x
            scale = self._filter_axis(samples, kind, axis)
            if self._is_negative:
                integers.negate(work, at, self._count)
            position = axis * (self._levels + 1) * WAVELET_FEATURES
            for level in range(self._levels):
                count = self._counts[level]
                scale += integers.normalize(work, at, count, _BITS)
                mirror(work, at, count, self._taps - 1)
                other = self._x if level & 1 else self._other
                count = self._counts[level + 1]
                decompose(work, at, count, self._table, self._taps, other, self._details)
                at = other
                row = position + (self._levels - level) * WAVELET_FEATURES
                self._extract(self._details, level + 1, scale, sink, row)
            self._extract(at, self._levels, scale, sink, position)

    # Store the features of the coefficients of a level. Changes the coefficients.
    def _extract(self, at, level, scale, sink, position):
        work = self._work
        s = self._scalars
        row = self._row
        t = self._temporary
        count = self._counts[level]
        facts = self._facts[level]
        scale += integers.normalize(work, at, count, _BITS)
        if not integers.has_nonzero(work, at, count):
            clear(work, row, WAVELET_FEATURES)
            sink.write(work, row, WAVELET_FEATURES, position)
            return
        mean = statistics.mean(work, at, count)
        integers.put(work, row + _MEAN, mean)
        crossings(work, at, count, mean, row + _CROSSINGS)
        sort(work, at, count)
        percentiles(work, at, count, row + _PERCENTILES)
        s.from_ints(row + _CROSSINGS, row + _CROSSINGS, _STDEV - _CROSSINGS)
        s.quotients(row + _CROSSINGS, 2, facts)
        s.scale_vector(row + _PERCENTILES, _STDEV - _PERCENTILES, 0 - scale)
        # The entropy of n integers in bins of k: log(n) - sum(k * log(k)) / n
        s.copy(row + _ENTROPY, facts + 1)
        sizes = bin_sizes(work, at, count, self._sizes)
        if sizes:
            s.from_ints(self._sizes, self._sizes, sizes)
            s.copy_vector(self._logarithms, self._sizes, sizes)
            s.log(self._logarithms, sizes)
            s.dot(t, self._sizes, self._logarithms, sizes)
            s.divide(t, t, facts)
            s.combine(SUB, row + _ENTROPY, row + _ENTROPY, t)
        # _statistics() stores the standard deviation before the skewness.
        scale += statistics.centre(work, at, count)
        self._statistics(at, count, scale, row + _RMS)
        s.copy(row + _STDEV, row + _RMS)
        if self._has_scale:
            s.each(MUL, row + _PERCENTILES, _VARIANCE - _PERCENTILES, self._factor)
        s.combine(MUL, row + _VARIANCE, row + _STDEV, row + _STDEV)
        s.combine(MUL, t, row + _MEAN, row + _MEAN)
        s.combine(ADD, t, t, row + _VARIANCE)
        s.sqrt(row + _RMS, t)
        s.combine(MUL, row + _VARIANCE, row + _VARIANCE, facts + 2)
        sink.write(work, row, WAVELET_FEATURES, position)
