# The input of the anomaly model: 22 bands of vibration; runs on boards and in CPython
# MIT license; Copyright (c) 2026 the tflm authors

from array import array
from math import cos, log, pi, sin

LENGTH = 256  # samples of a window
RATE = 1000  # samples a second
TOGETHER = 4  # windows whose powers are averaged, about a second
# The first bin of each band, and the end of the last band; a bin has 3.9 Hz.
EDGES = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 17, 20, 24, 29, 35, 42, 51, 62, 75, 90, 108, 128)
BANDS = len(EDGES) - 1
_FLOOR = 1e-7  # g squared: the noise of a quiet sensor in a bin

_window = array("f", [0.5 - 0.5 * cos(2 * pi * i / LENGTH) for i in range(LENGTH)])
_cos = array("f", [cos(2 * pi * i / LENGTH) for i in range(LENGTH // 2)])
_sin = array("f", [sin(2 * pi * i / LENGTH) for i in range(LENGTH // 2)])
_re = array("f", [0.0] * LENGTH)
_im = array("f", [0.0] * LENGTH)


# Return the number with the eight bits of i in reverse order.
def _turned(i):
    j = 0
    for _ in range(8):
        j = j << 1 | i & 1
        i >>= 1
    return j


_order = bytes([_turned(i) for i in range(LENGTH)])


# Compute the FFT of _re and _im in place.
def _transform():
    re, im, size = _re, _im, 1
    while size < LENGTH:
        stride = LENGTH // (2 * size)
        for k in range(size):
            c, s = _cos[k * stride], -_sin[k * stride]
            for i in range(k, LENGTH, 2 * size):
                j = i + size
                a, b = re[j] * c - im[j] * s, re[j] * s + im[j] * c
                re[j], im[j] = re[i] - a, im[i] - b
                re[i] += a
                im[i] += b
        size *= 2


def bands(samples, out):
    """Fill `out` with the logarithm (base 10) of the mean power of each band, in g squared.

    samples: LENGTH numbers in g of one axis, RATE per second; the mean is removed.
    """
    mean = sum(samples) / LENGTH
    for i in range(LENGTH):
        _re[_order[i]] = (samples[i] - mean) * _window[i]
        _im[i] = 0.0
    _transform()
    scale = (4 / LENGTH) ** 2 / 2  # from the amplitude of a windowed sine to its power
    for band in range(BANDS):
        first, end = EDGES[band], EDGES[band + 1]
        power = 0.0
        for i in range(first, end):
            power += _re[i] * _re[i] + _im[i] * _im[i]
        out[band] = log(power * scale / (end - first) + _FLOOR) / log(10)


def second(windows, out):
    """Fill `out` with the bands of the next TOGETHER windows, averaged by power.

    windows: an iterator of windows.
    """
    sums = [0.0] * BANDS
    for _ in range(TOGETHER):
        bands(next(windows), out)
        for band in range(BANDS):
            sums[band] += 10 ** out[band] / TOGETHER
    for band in range(BANDS):
        out[band] = log(sums[band]) / log(10)
