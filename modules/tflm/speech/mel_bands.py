# tflm.speech: bands whose middles are at equal distances in mel, between the bins of an FFT.
# MIT license; Copyright (c) 2026 the tflm authors

import math

_BIN = 62.5  # Hz: an FFT of 256 samples of 16 kHz
_TOP = 8000


def _mel(hertz):
    return math.log(1 + hertz / 700)


def store_positions(table, at, bins, bands):
    """Store where the first `bins` bins of an FFT are between the middles of `bands` bands.

    table: array("H"), from `at` on: the band below the bin << 8 | the distance from it in 1 / 256.
    The bands go from 0 to 8000 Hz.
    """
    for i in range(bins):
        position = _mel(_BIN * i) / _mel(_TOP) * (bands - 1)
        band = min(int(position), bands - 2)
        table[at + i] = band << 8 | min(int((position - band) * 256), 255)
