# tflm_tools: wake: sound as the bits of a PDM microphone, for boards that are emulated
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

RATIO = 64  # bits a sample
_DITHER = 0.01  # without it silence would be a tone


def modulate(samples, seed=1):
    """The bits (0 or 1) of samples at 16 kHz, where 1.0 is the loudest sound that bits have.

    A sigma-delta modulator of order 2, as in the simplest microphones: good to 0.7.
    """
    count = len(samples) * RATIO
    dither = np.random.RandomState(seed).uniform(-_DITHER, _DITHER, count)
    wave = np.interp(np.arange(count) / RATIO, np.arange(len(samples)), samples) + dither
    bits = bytearray(count)
    first = second = 0.0
    for i, value in enumerate(wave.tolist()):
        said = 1.0 if second >= 0 else -1.0
        first += value - said
        second += first - said
        bits[i] = said > 0
    return np.frombuffer(bits, np.uint8)


def pack(bits):
    """Bytes of bits, the first one lowest, as the emulated Pico's microphone reads them."""
    return np.packbits(bits, bitorder="little").tobytes()
