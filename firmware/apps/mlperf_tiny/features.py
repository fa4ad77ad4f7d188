# App mlperf_tiny: computes the features of sww01, 40 bands for each 32 ms of sound
# MIT license; Copyright (c) 2026 the tflm authors

# The benchmark's reference computes in float32. This code computes in integers that are accurate
# enough for int8 features: rounding errors are 60 dB below the quietest band whose feature is not
# the lowest value. Steps, which the functions below follow:
#
#   1. _append     adds 512 int16 samples, unit 2 ** -15, to the window of 1024.
#   2. _load       computes the pre-emphasis x - x' * 31 / 32 and the Hamming window, unit
#                  2 ** -20.
#   3. stage       computes the FFT, one stage for each call.
#   4. _power      computes the power of each bin, as (mantissa, exponent).
#   5. _gather     sums the power in mel bands, triangles that overlap by half.
#   6. _quantize   converts energies to the bits of a float32, whose order is the order of the
#                  values. A feature is the number of thresholds, of 255, that its energy reaches;
#                  this replaces the logarithm.

from array import array

import micropython
from tables import bit_reversed_order, hamming, slopes, thresholds, twiddles

try:
    from fft_thumb import stage
except (ImportError, SyntaxError):  # the core is not a Cortex-M
    stage = None

BANDS = 40
STRIDE = 512  # samples between two windows

_WINDOW = 1024
_HALF = 512  # number of complex values of the FFT, and of bins


# samples: the sample before the window, then the window.
@micropython.viper
def _load(samples: ptr16, window: ptr16, order: ptr16, values: ptr32):
    before = (samples[0] ^ 0x8000) - 0x8000
    i = 0
    while i < 1024:
        sample = (samples[i + 1] ^ 0x8000) - 0x8000
        value = 32 * sample - 31 * before
        before = sample
        factor = window[i if i < 512 else 1024 - i]
        value = ((value >> 11) * factor + (((value & 2047) * factor) >> 11)) >> 4
        values[2 * order[i >> 1] + (i & 1)] = value
        i += 1


# Compute all butterflies of a stage of the FFT: 256 pairs of values. span: bytes between the two
# values; step: bytes between two twiddles. Numbers are below 2 ** 31; twiddles have the unit
# 1 / 32768.
@micropython.viper
def _stage(values: ptr8, twiddles: ptr8, span: int, step: int):
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 on 64-bit machines, whose loads are zero-extended, else 0
    begin = 0
    while begin < span:
        w = ptr32(int(twiddles) + (begin >> 3) * step)
        c = (w[0] << sign) >> sign
        s = (w[1] << sign) >> sign
        at = begin
        while at < 4096:
            a = ptr32(int(values) + at)
            b = ptr32(int(values) + at + span)
            real = (b[0] << sign) >> sign
            imaginary = (b[1] << sign) >> sign
            x = (real >> 15) * c + (imaginary >> 15) * s
            x += ((real & 32767) * c + (imaginary & 32767) * s) >> 15
            y = (imaginary >> 15) * c - (real >> 15) * s
            y += ((imaginary & 32767) * c - (real & 32767) * s) >> 15
            b[0] = a[0] - x
            b[1] = a[1] - y
            a[0] = a[0] + x
            a[1] = a[1] + y
            at += 2 * span
        begin += 8


# Convert the FFT of 512 complex values to the FFT of 1024 real values, and replace bins 1 to 511
# by their power (mantissa below 2 ** 31, exponent). A bin is computed together with its mirror
# image.
@micropython.viper
def _power(values: ptr32, twiddles: ptr32):
    sign = 0x20000000
    sign = sign << 3 >> 27
    shift = 0
    k = 1
    while k <= 256:
        m = 512 - k
        c = (twiddles[2 * k] << sign) >> sign
        s = (twiddles[2 * k + 1] << sign) >> sign
        a = (values[2 * k] << sign) >> sign
        b = (values[2 * k + 1] << sign) >> sign
        p = (values[2 * m] << sign) >> sign
        q = (values[2 * m + 1] << sign) >> sign
        odd = (b + q) >> 1
        odd_i = (p - a) >> 1
        a = (a + p) >> 1
        b = (b - q) >> 1
        p = (odd >> 15) * c + (odd_i >> 15) * s
        p += ((odd & 32767) * c + (odd_i & 32767) * s) >> 15
        q = (odd_i >> 15) * c - (odd >> 15) * s
        q += ((odd_i & 32767) * c - (odd & 32767) * s) >> 15
        bin = k
        while True:
            x = a + p
            y = b + q
            if x < 0:
                x = 0 - x
            if y < 0:
                y = 0 - y
            most = x | y
            while most >> shift > 32767:
                shift += 1
            while shift and most >> (shift - 1) <= 32767:
                shift -= 1
            x >>= shift
            y >>= shift
            values[2 * bin] = x * x + y * y
            values[2 * bin + 1] = 2 * shift
            if bin == m:
                break
            bin = m
            p = 0 - p
            q = 0 - q
        k += 1


# Compute for each interval between two band centres its sums for the band that rises in it and for
# the band that falls in it: (rising, falling, exponent).
@micropython.viper
def _gather(values: ptr32, begins: ptr16, rises: ptr16, sums: ptr32):
    interval = 0
    while interval < 41:
        begin = begins[interval]
        end = begins[interval + 1]
        most = 0
        k = begin
        while k < end:
            if values[2 * k + 1] > most:
                most = values[2 * k + 1]
            k += 1
        rising = 0
        falling = 0
        k = begin
        while k < end:
            shift = most - values[2 * k + 1]
            if shift < 31:
                power = values[2 * k] >> shift >> 15
                factor = rises[k]
                rising += (power * factor) >> 6
                falling += (power * (32768 - factor)) >> 6
            k += 1
        sums[3 * interval] = rising
        sums[3 * interval + 1] = falling
        sums[3 * interval + 2] = most
        interval += 1


# Compute the energies of the bands and from them the features.
@micropython.viper
def _quantize(sums: ptr32, thresholds: ptr32, target: ptr8):
    band = 0
    while band < 40:
        energy = sums[3 * band] >> 1
        exponent = sums[3 * band + 2]
        falling = sums[3 * band + 4] >> 1
        shift = exponent - sums[3 * band + 5]
        if shift >= 0:
            energy += falling >> (shift if shift < 31 else 31)
        else:
            shift = 0 - shift
            exponent += shift
            energy = falling + (energy >> (shift if shift < 31 else 31))
        if energy:
            exponent += 107
            while energy >= 0x1000000:
                energy >>= 1
                exponent += 1
            while energy < 0x800000:
                energy <<= 1
                exponent -= 1
            energy += (exponent - 1) << 23
        low = 0
        high = 255
        while low < high:
            middle = (low + high) >> 1
            if thresholds[middle] <= energy:
                low = middle + 1
            else:
                high = middle
        target[band] = low ^ 0x80
        band += 1


@micropython.viper
def _append(samples: ptr16, new: ptr16):
    i = 0
    while i < 513:
        samples[i] = samples[i + 512]
        i += 1
    i = 0
    while i < 512:
        samples[i + 513] = new[i]
        i += 1


if stage is None:
    stage = _stage


class Features:
    """Computes rows of int8 features for a model whose input has this scale and zero point."""

    def __init__(self, scale, zero_point):
        self._window = hamming()
        self._order = bit_reversed_order()
        self._twiddles = twiddles()
        self._begins, self._rises = slopes()
        self._thresholds = thresholds(scale, zero_point)
        self._samples = array("h", bytes(2 * (_WINDOW + 1)))
        self._values = array("i", bytes(8 * _HALF))
        self._sums = array("i", bytes(12 * (BANDS + 1)))

    def reset(self):
        """Clear the window."""
        for i in range(len(self._samples)):
            self._samples[i] = 0

    def run(self, new, target):
        """Write the BANDS features of the window that ends with `new`, STRIDE int16, to `target`.

        Does not allocate.
        """
        values = self._values
        _append(self._samples, new)
        _load(self._samples, self._window, self._order, values)
        span = 8
        while span < 8 * _HALF:
            stage(values, self._twiddles, span, 8 * 8 * _HALF // span)
            span *= 2
        _power(values, self._twiddles)
        _gather(values, self._begins, self._rises, self._sums)
        _quantize(self._sums, self._thresholds, target)
