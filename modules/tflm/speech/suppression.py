# tflm.speech: integer kernels that suppress noise: windows, energies of bands, gains, overlap-add.
# MIT license; Copyright (c) 2026 the tflm authors

# A window has 256 samples, a block 128. The transform reads from word 0 of the work memory and
# writes to _DATA. Logarithms are binary, in units of 2 ** -8.

import micropython
from micropython import const

BANDS = const(24)
_DATA = const(512)
_ENERGIES = const(1024)  # after the transform, in the work memory
_WINDOW = const(256)
_BLOCK = const(128)
_RISE = const(2)  # of a floor in a block: 6 dB a second
_SMOOTH = const(179)  # of 256: the least part of a gain that remains a block later


@micropython.viper
def load_block(work: ptr32, kept: ptr16, samples: ptr16, first: int, window: ptr16):
    """Store the last block and a new one times the window; keep the new one.

    window: in units of 2 ** -15.
    """
    i = 0
    while i < _BLOCK:
        value = samples[first + i]
        j = 2 * i
        work[j] = ((kept[i] ^ 0x8000) - 0x8000) * window[i] >> 3
        work[j + 1] = 0
        work[_WINDOW + j] = ((value ^ 0x8000) - 0x8000) * window[_BLOCK + i] >> 3
        work[_WINDOW + j + 1] = 0
        kept[i] = value
        i += 1


@micropython.viper
def measure_bands(work: ptr32, bands: ptr16):
    """Add up the magnitudes of the bins in each band.

    bands: for each bin 1 to 127, the band below it and the distance from it in 1 / 256.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27  # 32 with 64-bit words, where loads zero-extend; 0 with 32-bit words
    i = 0
    while i < BANDS:
        work[_ENERGIES + i] = 16
        i += 1
    i = 1
    while i < _BLOCK:
        a = (work[_DATA + 2 * i] << sign) >> sign
        b = (work[_DATA + 2 * i + 1] << sign) >> sign
        if a < 0:
            a = 0 - a
        if b < 0:
            b = 0 - b
        if a < b:
            value = b + (a >> 2) + (a >> 3)
        else:
            value = a + (b >> 2) + (b >> 3)
        k = bands[i]
        share = value >> 8
        share = share * (k & 255)
        k = _ENERGIES + (k >> 8)
        work[k] = work[k] + (value - share)
        work[k + 1] = work[k + 1] + share
        i += 1


@micropython.viper
def append_levels(work: ptr32, floors: ptr32, features: ptr8, columns: int):
    """Append how far the bands are above their floors, in units of 1/8 octave, to the features.

    floors: follow the least logarithms; -1 before the first block. features: int8, `columns`
    columns.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    i = 0
    end = BANDS * (columns - 1)
    while i < end:
        features[i] = features[i + BANDS]
        i += 1
    i = 0
    while i < BANDS:
        value = work[_ENERGIES + i]
        exponent = 30
        while not value >> 30:
            value = value << 1
            exponent -= 1
        level = (exponent << 8) + (value >> 22 & 255)
        floor = (floors[i] << sign) >> sign
        if floor < 0:
            floor = level
        if level < floor:
            floor -= floor - level + 7 >> 3
        else:
            floor += _RISE
        floors[i] = floor
        value = level - floor >> 5
        if value > 127:
            value = 127
        if value < 0 - 128:
            value = 0 - 128
        features[end + i] = value
        i += 1


@micropython.viper
def apply_gains(work: ptr32, bands: ptr16, gains: ptr8, before: ptr8, least: int):
    """Store the spectrum times the gains, as the input of the inverse transform.

    gains: int8 from -128 to 127 for 0 to 255 / 256. before: the gains of the last block, as
    numbers from 0 to 255. least: of all gains. Real and imaginary parts are exchanged, which makes
    the transform an inverse one.
    """
    sign = 0x20000000
    sign = sign << 3 >> 27
    i = 0
    while i < BANDS:
        gain = gains[i] ^ 0x80
        held = before[i] * _SMOOTH >> 8
        if gain < held:
            gain = held
        if gain < least:
            gain = least
        before[i] = gain
        i += 1
    work[0] = 0
    work[1] = 0
    work[_WINDOW] = 0
    work[_WINDOW + 1] = 0
    i = 1
    while i < _BLOCK:
        k = bands[i]
        gain = before[k >> 8]
        gain += (before[(k >> 8) + 1] - gain) * (k & 255) >> 8
        j = 2 * i
        a = ((work[_DATA + j] << sign) >> sign + 4) * gain >> 2
        b = ((work[_DATA + j + 1] << sign) >> sign + 4) * gain >> 2
        work[j] = b
        work[j + 1] = a
        j = 2 * _WINDOW - j
        work[j] = 0 - b
        work[j + 1] = a
        i += 1


@micropython.viper
def store_block(work: ptr32, tail: ptr32, samples: ptr16, first: int, window: ptr16):
    """Store the sum of the last window's second half and this one's first half, as int16."""
    sign = 0x20000000
    sign = sign << 3 >> 27
    i = 0
    while i < _WINDOW:
        value = (work[_DATA + 2 * i + 1] << sign) >> sign + 4
        value = value * (window[i] >> 2) >> 13
        if i < _BLOCK:
            value = value + ((tail[i] << sign) >> sign) + 2 >> 2
            if value > 32767:
                value = 32767
            if value < 0 - 32768:
                value = 0 - 32768
            samples[first + i] = value
        else:
            tail[i - _BLOCK] = value
        i += 1
