# tflm_tools: wake: converts sound to the bits of a PDM microphone, for emulated boards
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

RATIO = 64  # bits per sample
_DITHER = 0.01  # amplitude; without dither silence would be a tone


def modulate(samples, seed=1):
    """Return the PDM bits (0 or 1, uint8) of samples at 16 kHz.

    samples: float, full scale is 1.0. The modulator is a sigma-delta modulator of order 2, which
    is accurate up to 0.7 of full scale.
    """
    count = len(samples) * RATIO
    dither = np.random.RandomState(seed).uniform(-_DITHER, _DITHER, count)
    wave = np.interp(np.arange(count) / RATIO, np.arange(len(samples)), samples) + dither
    bits = bytearray(count)
    first = second = 0.0
    for i, value in enumerate(wave.tolist()):
        bit = 1.0 if second >= 0 else -1.0
        first += value - bit
        second += first - bit
        bits[i] = bit > 0
    return np.frombuffer(bits, np.uint8)


def pack(bits):
    """Return bits packed to bytes, the first bit lowest, for the emulated Pico's microphone."""
    return np.packbits(bits, bitorder="little").tobytes()
