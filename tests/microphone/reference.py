# The decimator of tflm.microphone in numpy, and the design of its filter
# MIT license; Copyright (c) 2026 the tflm authors

from functools import cache

import numpy as np
from tflm_tools.wake.pdm import RATIO

RATE = 16000
_CIC = 32  # bits a sample of the first filter
_TAPS = 48
_SCALE = 1 << 13
_DC_SHIFT = 10

_PASS = 7000  # Hz: flat up to here
_STOP = 9000  # Hz: nothing passes above, because it would alias below 7 kHz


def cic():
    """Return the taps of the first filter, bits to 32 kHz: four means of 32 bits in a row."""
    taps = np.ones(1, np.int64)
    for _ in range(4):
        taps = np.convolve(taps, np.ones(_CIC, np.int64))
    return np.concatenate([taps, np.zeros(128 - len(taps), np.int64)])


def _droop(frequencies):
    half = np.pi * frequencies / (RATE * RATIO)
    return np.abs(np.sin(_CIC * half) / (_CIC * np.sin(half))) ** 4


@cache
def design():
    """Taps of the second filter, 32 to 16 kHz: flat with the first one's droop, by least squares
    whose weights grow where the error is large, ten times as much where nothing may pass.
    """
    band = np.concatenate([np.linspace(1, _PASS, 400), np.linspace(_STOP, RATE, 400)])
    wanted = (band <= _PASS).astype(float)
    care = np.where(band <= _PASS, 1, 10)
    distances = (_TAPS - 1) / 2 - np.arange(_TAPS // 2)
    matrix = 2 * np.cos(np.pi * np.outer(band, distances) / RATE) * _droop(band)[:, None]
    weights = care.astype(float)
    for _ in range(60):
        root = np.sqrt(weights)
        half = np.linalg.lstsq(matrix * root[:, None], wanted * root, rcond=None)[0]
        error = care * np.abs(matrix @ half - wanted)
        weights *= (error / error.mean() + 0.02) ** 0.7
        weights /= weights.mean()
    half = np.round(half * _SCALE).astype(int)
    return np.concatenate([half, half[::-1]])


def response(taps, frequencies):
    """Return the gain of both filters at frequencies in Hz, up to half the bit rate."""
    turns = np.outer(frequencies, np.arange(_TAPS)) / (2 * RATE)
    return _droop(frequencies) * np.abs(np.exp(-2j * np.pi * turns) @ (taps / _SCALE))


def decimate(bits, taps, gain):
    """Return int16 samples of PDM bits (0 or 1), whose number is a multiple of 64."""
    silence = np.arange(1, 97) % 2  # before the first bit
    signs = 2 * np.concatenate([silence, np.asarray(bits, np.int64)]).reshape(-1, 8) - 1
    sums = (signs @ cic().reshape(-1, 8).T + 4) >> 3  # of a byte at each of its 16 positions
    count = len(signs) // 4 - 3
    middle = sum(sums[i : i + 4 * count : 4, i] for i in range(16))
    middle = np.concatenate([np.zeros(_TAPS - 2, np.int64), middle])
    values = np.lib.stride_tricks.sliding_window_view(middle, _TAPS)[::2] @ taps
    shift = 15 - (gain.bit_length() - 1)
    samples, level = [], 0
    for value in (values >> shift).tolist():
        sample = value - (level >> _DC_SHIFT)
        level += sample
        samples.append(min(max(sample, -32768), 32767))
    return np.array(samples, np.int16)
