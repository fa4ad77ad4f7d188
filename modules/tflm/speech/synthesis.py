# tflm.speech: integer kernels of the vocoder: spectra of harmonics and noise, added up as sound.
# MIT license; Copyright (c) 2026 the tflm authors

# Units: amplitudes are integers below 2 ** 19 in units of 2 ** -16; aperiodicities are from 0 to
# 4096; pitches are in units of 1 / 16 Hz; frequencies are in units of 2 ** -12 bins of 62.5 Hz;
# phases are in units of 2 ** -16 turns.

import micropython
from micropython import const

BANDS = const(48)  # amplitudes of a frame
VALUES = const(60)  # of a frame: amplitudes, then aperiodicities
BINS = const(129)
# Positions in the work memory, in words. The transform reads from 0 and writes to _DATA, whose
# memory holds the spectrum of a window before.
_DATA = const(512)
_NOISE = const(641)  # aperiodicities of the bins, after their amplitudes
_SPECTRUM = const(770)
_KNOTS = const(1030)
# Positions in the tables; see vocoder.py.
ENVELOPE = const(65)
APERIODICITY = const(194)
ROOTS = const(323)
LOBE = const(388)
_LAST = const(507904)  # 124 bins: the highest harmonic
_WINDOW = const(256)  # samples
_HOP = const(64)


@micropython.viper
def load_frame(target: ptr16, at: int, values: ptr8, first: int, size: int, settings: ptr32):
    """Store a frame: 48 binary logarithms of amplitudes (2 ** -10), and 12 aperiodicities.

    values: int8 (size 1) or int16 (size 2). settings: zero point; factors of logarithms and of
    aperiodicities in units of 2 ** -16.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    zero = (settings[0] << sign) >> sign
    factor = settings[1]
    low = 0 - 16384
    high = 3071
    i = 0
    while i < VALUES:
        if i == BANDS:
            factor = settings[2]
            low = 0
            high = 4096
        j = size * (first + i)
        if size == 1:
            value = (values[j] ^ 0x80) - 0x80
        else:
            value = ((values[j] | values[j + 1] << 8) ^ 0x8000) - 0x8000
        value = (value - zero) * factor >> 16
        if value < low:
            value = low
        if value > high:
            value = high
        target[at + i] = value
        i += 1


@micropython.viper
def expand(work: ptr32, frames: ptr16, a: int, b: int, weight: int, tables: ptr16):
    """Store the amplitudes and aperiodicities of the bins between two frames.

    a, b: positions of the frames. weight: of b, from 0 to 256. tables: see vocoder.py.
    """
    i = 0
    while i < VALUES:
        value = (frames[a + i] ^ 0x8000) - 0x8000
        value += (((frames[b + i] ^ 0x8000) - 0x8000) - value) * weight >> 8
        if i < BANDS:
            k = value >> 4 & 63
            low = tables[k]
            shift = value >> 10
            value = 65536 + low + ((tables[k + 1] - low) * (value & 15) >> 4)
            value = value << shift if shift >= 0 else value >> 0 - shift
        work[_KNOTS + i] = value
        i += 1
    i = 0
    while i < BINS:
        k = tables[ENVELOPE + i]
        at = _KNOTS + (k >> 8)
        low = work[at]
        # Differences of less than 2 ** 19 are negative in 64-bit words, too.
        work[_DATA + i] = low + ((work[at + 1] - low) * (k & 255) >> 8)
        k = tables[APERIODICITY + i]
        at = _KNOTS + BANDS + (k >> 8)
        low = work[at]
        work[_NOISE + i] = low + ((work[at + 1] - low) * (k & 255) >> 8)
        i += 1


@micropython.viper
def set_noise(work: ptr32, is_voiced: int, state: ptr32):
    """Store the spectrum of windowed noise with the amplitudes of the bins.

    is_voiced: amplitudes are multiplied by the aperiodicity. state: of the random numbers.
    A Hann window is the filter (-1/4, 1/2, -1/4) of the spectrum.
    """
    random = state[0]
    before = 0
    before_i = 0
    middle = 0
    middle_i = 0
    k = 0
    while k < BINS:
        after = 0
        after_i = 0
        if k + 1 < BINS:
            level = work[_DATA + k + 1]
            if is_voiced:
                level = level * work[_NOISE + k + 1] >> 12
            random = random * 1664525 + 1013904223 & 0x3FFFFFFF
            after = level * ((random >> 18) - 2048) >> 4
            random = random * 1664525 + 1013904223 & 0x3FFFFFFF
            after_i = level * ((random >> 18) - 2048) >> 4
        work[_SPECTRUM + 2 * k] = (middle >> 1) - (before + after >> 2)
        work[_SPECTRUM + 2 * k + 1] = (middle_i >> 1) - (before_i + after_i >> 2)
        before = middle
        before_i = middle_i
        middle = after
        middle_i = after_i
        k += 1
    state[0] = random


@micropython.viper
def add_harmonics(work: ptr32, pitch: int, phase: int, circle: ptr16, tables: ptr16):
    """Add the lobes of all harmonics of a pitch to the spectrum.

    phase: of the first harmonic in the middle of the window. circle: cosine and sine of 256 angles
    of half a turn, at each fourth and the third after it (see fft_table()).
    A harmonic is 2 / sqrt(period) times the amplitude of its bin, less the noise. It is delayed in
    proportion to its frequency, 2 ms at 8 kHz: pulses of all harmonics at once would be clipped.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    square = pitch * 131 >> 1
    root = 0
    bit = 1024
    while bit:
        if (root + bit) * (root + bit) <= square:
            root += bit
        bit = bit >> 1
    step = pitch * 16777 >> 12
    frequency = step
    angle = phase
    while frequency < _LAST:
        k = frequency >> 12
        level = work[_DATA + k]
        level += (work[_DATA + k + 1] - level) * (frequency >> 4 & 255) >> 8
        level = level * root >> 9
        if level > 0x3FFFF:
            level = 0x3FFFF
        level = level * tables[ROOTS + (work[_NOISE + k] >> 6)] >> 11
        i = frequency >> 8
        i = angle - (i * i >> 3) + 64 >> 7 & 511
        at = (i & 255) << 2
        real = level * (circle[at] - 16384 >> 2) >> 12
        imaginary = level * (circle[at + 2] - 16384 >> 2) >> 12
        if (i >> 8) ^ (k & 1):  # the window's middle is half a turn later in odd bins
            real = 0 - real
            imaginary = 0 - imaginary
        i = k - 2
        while i <= k + 3:
            distance = (i << 12) - frequency
            if distance < 0:
                distance = 0 - distance
            weight = (tables[LOBE + (distance >> 6)] ^ 0x8000) - 0x8000
            if i < 0:  # a negative frequency has the conjugate of the positive one
                at = _SPECTRUM - 2 * i
                work[at + 1] = work[at + 1] - (imaginary * weight >> 6)
            else:
                at = _SPECTRUM + 2 * i
                work[at + 1] = work[at + 1] + (imaginary * weight >> 6)
            work[at] = work[at] + (real * weight >> 6)
            real = 0 - real
            imaginary = 0 - imaginary
            i += 1
        frequency += step
        angle += phase


@micropython.viper
def store_window(work: ptr32, is_second: int):
    """Store the spectrum as the input of the transform, as its real or its imaginary part.

    The transform computes two windows as one complex signal. Real and imaginary parts are
    exchanged, before and after it, which makes it an inverse transform.
    """
    if not is_second:  # nothing is at 0 Hz and at 8 kHz
        work[0] = 0
        work[1] = 0
        work[_WINDOW] = 0
        work[_WINDOW + 1] = 0
    k = 1
    while k < BINS - 1:
        real = work[_SPECTRUM + 2 * k]
        imaginary = work[_SPECTRUM + 2 * k + 1]
        at = 2 * (_WINDOW - k)
        if is_second:
            work[2 * k] = work[2 * k] + real
            work[2 * k + 1] = work[2 * k + 1] - imaginary
            work[at] = work[at] + real
            work[at + 1] = work[at + 1] + imaginary
        else:
            work[2 * k] = imaginary
            work[2 * k + 1] = real
            work[at] = 0 - imaginary
            work[at + 1] = real
        k += 1


@micropython.viper
def overlap_add(work: ptr32, sums: ptr32, target: ptr16, first: int):
    """Add the two windows to the sums; store the 128 int16 that are finished.

    sums: of 320 samples. first: position in the target.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    i = 0
    while i < _WINDOW:
        sums[i] = sums[i] + work[_DATA + 2 * i + 1]
        sums[_HOP + i] = sums[_HOP + i] + work[_DATA + 2 * i]
        i += 1
    i = 0
    while i < _WINDOW + _HOP:
        if i < 2 * _HOP:
            value = (sums[i] << sign) >> sign + 4
            if value > 32767:
                value = 32767
            if value < 0 - 32768:
                value = 0 - 32768
            target[first + i] = value
        sums[i] = sums[i + 2 * _HOP] if i < _WINDOW - _HOP else 0
        i += 1
