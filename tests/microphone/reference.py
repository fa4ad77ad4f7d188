# The decimator of tflm.microphone in numpy, how its filter was designed, and a PDM microphone
# MIT license; Copyright (c) 2026 the tflm authors

from functools import cache

import numpy as np

RATIO = 64  # bits a sample
RATE = 16000
_CIC = 32  # bits a sample of the first filter
_TAPS = 48
_SCALE = 1 << 13
_DC_SHIFT = 10

_PASS = 7000  # Hz: flat up to here
_STOP = 9000  # from here on nothing is to be left, as it would come back below 7 kHz


def cic():
    """Taps of the first filter, bits to 32 kHz: four means of 32 bits in a row."""
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
    """Gain of both filters at frequencies in Hz, up to half the bits' rate; 1 is what passes."""
    turns = np.outer(frequencies, np.arange(_TAPS)) / (2 * RATE)
    return _droop(frequencies) * np.abs(np.exp(-2j * np.pi * turns) @ (taps / _SCALE))


def decimate(bits, taps, gain):
    """int16 samples of PDM bits (0 or 1), whose number is a multiple of 64."""
    sums = cic()
    silence = np.arange(1, 97) % 2  # is what was before the first bit
    bits = np.concatenate([silence, np.asarray(bits, np.int64)])
    windows = np.lib.stride_tricks.sliding_window_view(2 * bits - 1, 128)[::_CIC]
    parts = (windows * sums).reshape(-1, 16, 8).sum(axis=2)
    middle = ((parts + 4) >> 3).sum(axis=1)  # each byte's part is rounded, as a table has it
    middle = np.concatenate([np.zeros(_TAPS - 2, np.int64), middle])
    values = np.lib.stride_tricks.sliding_window_view(middle, _TAPS)[::2] @ taps
    shift = 15 - (gain.bit_length() - 1)
    samples, level = [], 0
    for value in (values >> shift).tolist():
        sample = value - (level >> _DC_SHIFT)
        level += sample
        samples.append(min(max(sample, -32768), 32767))
    return np.array(samples, np.int16)


def modulate(samples, seed=1):
    """PDM bits of samples at 16 kHz (1.0 is full scale), by a sigma-delta modulator of order 2."""
    count = len(samples) * RATIO
    times = np.arange(count) / RATIO
    dither = np.random.RandomState(seed).uniform(-0.01, 0.01, count)
    wave = np.interp(times, np.arange(len(samples)), samples) + dither
    bits = bytearray(count)
    first = second = 0.0
    for i, value in enumerate(wave.tolist()):
        said = 1.0 if second >= 0 else -1.0
        first += value - said
        second += first - said
        bits[i] = said > 0
    return np.frombuffer(bits, np.uint8)
