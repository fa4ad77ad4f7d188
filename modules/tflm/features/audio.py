# tflm.features: the blocks MFE, MFCC and Spectrogram: features of frames of a sound.
# MIT license; Copyright (c) 2026 the tflm authors

import math

from . import filters, statistics, tables
from . import samples as integers
from .block import Block
from .fft import power, transform
from .scalars import (
    MUL,
    SUB,
    at_least,
    clamp,
    clear,
    copy,
    dots,
    least_and_greatest,
    replace_zeros,
    scale_by,
    scatter,
    to_steps,
)


def _log2(number):
    power = 0
    while number >> power + 1:
        power += 1
    return power


class Spectrogram(Block):
    """Edge Impulse's block Spectrogram, versions 1 to 4: a row of powers in dB for each frame."""

    def __init__(self, settings):
        super().__init__(settings)
        size = settings.values["fft_length"]
        self._pairs = size // 2
        self._bins = self._pairs + 1
        self._table = tables.fft_table(size)
        coefficient, self._shift = settings.emphasis
        coefficient = int(coefficient * (1 << 28) + (0.5 if coefficient > 0 else -0.5))
        self._emphasis = coefficient >> 14, coefficient & 0x3FFF
        self._frame = min(settings.frame_samples, size)
        self._step = settings.frame_step
        self._rows, self._columns = self.shape
        self._is_scaled = settings.version >= 3
        self._x = self._reserve(self._frame + self._shift)
        self._data = self._reserve(size)
        self._spectrum = self._reserve(self._bins)
        self._row = self._reserve(self._columns)
        self._tiny = self._constant(1e-10)
        self._set_up(settings)
        self._allocate()

    # Reserve memory and constants for the steps after the spectrum of a frame.
    def _set_up(self, settings):
        if self._is_scaled:
            self._set_decibels(settings.values["noise_floor_db"])
        else:
            self._matrix = self._reserve(self._rows * self._columns)
        self._has_limit = int(settings.version == 3)
        self._least = self._constant(1e-30)
        self._range = self._reserve(2)

    # Constants of (10 * log10(power) - floor) / (12 - floor).
    def _set_decibels(self, floor):
        self._decibels = self._constant(10 / math.log(10) / (12 - floor))
        self._floor = self._constant(floor / (12 - floor))

    def _compute(self, samples, kind, sink):
        scale = 0
        if self._is_scaled and (self.settings.version == 3):
            scale = 15 * statistics.is_above_one(samples, kind, self.length)
        for i in range(self._rows):
            self._frame_power(samples, kind, i * self._step, scale)
            if self._is_scaled:
                self._to_decibels(self._spectrum, self._columns, self._has_limit)
                sink.write(self._work, self._spectrum, self._columns, i * self._columns)
            else:
                at = self._matrix + i * self._columns
                copy(self._work, at, self._spectrum, self._columns, 1)
        if not self._is_scaled:
            self._stretch(False)
            sink.write(self._work, self._matrix, self.size, 0)

    # Store the power spectrum of the frame that starts at a sample.
    def _frame_power(self, samples, kind, start, scale):
        work = self._work
        x = self._x
        shift = self._shift
        count = self._frame
        # Samples before the first one are the last ones of the window.
        before = max(shift - start, 0)
        wrapped = self.length - before
        begin = max(start - shift, 0)
        rest = count + shift - before
        exponent = 0
        if kind:
            exponent = integers.largest(samples, begin, 1, rest)
            if before:
                exponent = max(exponent, integers.largest(samples, wrapped, 1, before))
        if before:
            integers.load(work, x, samples, kind, wrapped, 1, before, exponent)
        integers.load(work, x + before, samples, kind, begin, 1, rest, exponent)
        scale += integers.scale_of(kind, exponent)
        scale += integers.normalize(work, x, count + shift, 27)
        high, low = self._emphasis
        filters.emphasize(work, x, count, shift, high, low)
        scale += integers.normalize(work, x, count, 28)
        pairs = self._pairs
        transform(work, x, count, self._data, pairs, self._table)
        exponent = 156 + 28 + 2 * _log2(pairs) - _log2(2 * pairs) - 2 * scale
        power(work, self._data, pairs, self._table, self._spectrum, exponent, 0)

    # Replace powers by decibels relative to the noise floor, 0 for the floor and 1 for 12 dB.
    def _to_decibels(self, at, count, has_limit):
        work = self._work
        s = self._scalars
        at_least(work, at, count, self._least)
        s.log(at, count)
        s.each(MUL, at, count, self._decibels)
        s.each(SUB, at, count, self._floor)
        clamp(work, at, count, has_limit)

    # Stretch the matrix to numbers from 0 to 1; `keeps_zero`: unless the least or greatest is 0.
    def _stretch(self, keeps_zero):
        work = self._work
        s = self._scalars
        at = self._matrix
        t = self._range
        least_and_greatest(work, at, self.size, t)
        if keeps_zero and not (integers.is_set(work, t) and integers.is_set(work, t + 1)):
            return
        s.combine(SUB, t + 1, t + 1, t)
        if not integers.is_set(work, t + 1):
            clear(work, at, self.size)
            return
        for i in range(self._rows):
            row = at + i * self._columns
            s.each(SUB, row, self._columns, t)
            s.quotients(row, self._columns, t + 1)


class MFE(Spectrogram):
    """Edge Impulse's block MFE, versions 1 to 4: energies of mel filters for each frame."""

    def _set_up(self, settings):
        values = settings.values
        self._ranges, self._weights = tables.mel_table(settings)
        self._filters = values["num_filters"]
        self._mel = self._reserve(self._filters)
        self._least = self._constant(1e-30)
        self._range = self._reserve(2)
        self._set_output(settings)

    # Reserve memory and constants for the steps after the energies.
    def _set_output(self, settings):
        if self._is_scaled:
            self._set_decibels(settings.values["noise_floor_db"])
        else:
            self._set_window(settings.values["win_size"])

    # Reserve memory for the normalization over `size` rows.
    def _set_window(self, size):
        self._window = size
        self._matrix = self._reserve(self._rows * self._columns)
        if size:
            self._column = self._reserve(3 * self._rows)

    def _energies(self, samples, kind, row, scale):
        self._frame_power(samples, kind, row * self._step, scale)
        dots(self._work, self._mel, self._spectrum, self._weights, self._ranges, self._filters, 0)
        replace_zeros(self._work, self._mel, self._filters, self._tiny)

    def _compute(self, samples, kind, sink):
        work = self._work
        mel = self._mel
        columns = self._columns
        scale = 15 if self._is_scaled else 0
        for i in range(self._rows):
            self._energies(samples, kind, i, scale)
            if self._is_scaled:
                self._to_decibels(mel, columns, 1)
                to_steps(work, mel, columns)
                sink.write(work, mel, columns, i * columns)
            else:
                copy(work, self._matrix + i * columns, mel, columns, 1)
        if not self._is_scaled:
            if self._window:
                self._normalize(False)
            self._stretch(True)
            sink.write(work, self._matrix, self.size, 0)

    # Subtract from each number of a column the mean of the rows around it; the rows before the
    # first and after the last one are mirrored. has_deviations: also divide by the standard
    # deviation of the rows around it.
    def _normalize(self, has_deviations):
        work = self._work
        s = self._scalars
        rows = self._rows
        x = self._column
        means = x + rows
        for column in range(self._columns):
            at = self._matrix + column
            exponent = integers.largest(work, at, self._columns, rows)
            integers.load(work, x, work, integers.FLOAT32, at, self._columns, rows, exponent)
            scale = integers.scale_of(integers.FLOAT32, exponent)
            filters.window_means(work, x, rows, self._window, means, 0)
            filters.subtract(work, x, means, rows)
            scale += integers.normalize(work, x, rows, 28)
            if has_deviations:
                filters.window_means(work, x, rows, self._window, means, 0)
                filters.window_means(work, x, rows, self._window, means + rows, 1)
                filters.subtract_squares(work, means + rows, means, rows)
                s.from_ints(means, means + rows, rows)
                replace_zeros(work, means, rows, self._tiny)
                s.roots(means, rows)
                scale = 14
            s.from_ints(x, x, rows)
            scale_by(work, x, rows, 0 - scale)
            if has_deviations:
                s.vector_quotients(x, x, means, rows)
            scatter(work, at, x, rows, self._columns)


class MFCC(MFE):
    """Edge Impulse's block MFCC, versions 1 to 4: cepstral coefficients for each frame.

    The first coefficient is the logarithm of the frame's energy.
    """

    def _set_output(self, settings):
        values = settings.values
        self._is_scaled = False
        self._dct = tables.dct_table(values["num_filters"], values["num_cepstral"])
        self._energy = self._reserve(1)
        self._set_window(values["win_size"])

    def _compute(self, samples, kind, sink):
        work = self._work
        s = self._scalars
        mel = self._mel
        columns = self._columns
        for i in range(self._rows):
            self._energies(samples, kind, i, 0)
            s.log(mel, self._filters)
            row = self._matrix + i * columns
            dots(work, row, mel, self._dct, self._ranges, columns, self._filters)
            s.sum(self._energy, self._spectrum, self._bins)
            replace_zeros(work, self._energy, 1, self._tiny)
            s.log(self._energy, 1)
            s.copy(row, self._energy)
        if self._window:
            self._normalize(True)
        sink.write(work, self._matrix, self.size, 0)
