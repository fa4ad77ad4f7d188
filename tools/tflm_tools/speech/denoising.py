# tflm_tools: speech: features and gains of tflm.speech.Denoiser in numpy, for training and tests
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

BLOCK, WINDOW, BANDS = 128, 256, 24
COLUMNS = 12  # of the network's input
_RISE, _SMOOTH, _LEAST = 2 / 256, 179 / 256, 26 / 256
_UNIT = 2**12 / WINDOW  # of the board's spectrum


# Return the matrix from the 129 bins to the bands.
def _band_matrix():
    hertz = np.arange(1, BLOCK) * 62.5
    position = np.log(1 + hertz / 700) / np.log(1 + 8000 / 700) * (BANDS - 1)
    matrix = np.zeros((BANDS, BLOCK + 1))
    for i, at in enumerate(position, 1):
        band = int(at)
        matrix[band, i] = 1 - (at - band)
        matrix[band + 1, i] = at - band
    return matrix


MATRIX = _band_matrix()
_SINE = np.sin(np.pi * (np.arange(WINDOW) + 0.5) / WINDOW)


def spectra(samples):
    """Return the spectrum of each block: [blocks, 129]. samples: int16 or float of that size."""
    count = len(samples) // BLOCK
    padded = np.concatenate([np.zeros(BLOCK), samples[: count * BLOCK]])
    windows = np.stack([padded[BLOCK * i : BLOCK * i + WINDOW] for i in range(count)])
    return np.fft.rfft(windows * _SINE)


def features(spectrum):
    """Return the columns of the network's input: [blocks, 24], integers from -128 to 127.

    Each is the level of a band above its floor, in units of 1/8 octave.
    """
    real, imaginary = np.abs(spectrum.real) * _UNIT, np.abs(spectrum.imag) * _UNIT
    sizes = np.maximum(real, imaginary) + 0.375 * np.minimum(real, imaginary)
    energies = 16 + sizes @ MATRIX.T
    exponents = np.floor(np.log2(energies))
    levels = exponents + energies / 2**exponents - 1  # log2 by straight lines
    floor = levels[0]
    found = []
    for level in levels:
        floor = np.where(level < floor, floor - (floor - level) / 8, floor + _RISE)
        found.append(np.floor(8 * (level - floor)))
    return np.clip(found, -128, 127)


def inputs(columns):
    """Return the network's inputs: [blocks, 12 * 24], the last columns of each block."""
    padded = np.concatenate([np.zeros((COLUMNS - 1, BANDS)), columns])
    return np.stack([padded[i : i + COLUMNS].ravel() for i in range(len(columns))])


def ideal_gains(speech, mixture):
    """Return the gains of the bands that make the spectra of a mixture as strong as the speech."""
    wanted = np.abs(speech) ** 2 @ MATRIX.T
    return np.sqrt(np.clip(wanted / (np.abs(mixture) ** 2 @ MATRIX.T + 1e-9), 0, 1))


def apply(spectrum, gains):
    """Return the sound of spectra times gains (0 to 1) of the bands, as Denoiser computes it."""
    held, smooth = np.ones(BANDS), []
    for gain in gains:
        held = np.maximum(np.maximum(gain, held * _SMOOTH), _LEAST)
        smooth.append(held)
    windows = np.fft.irfft(spectrum * (np.array(smooth) @ MATRIX)) * _SINE
    sound = np.zeros(BLOCK * (len(windows) + 1))
    for i, window in enumerate(windows):
        sound[BLOCK * i : BLOCK * i + WINDOW] += window
    return sound[: BLOCK * len(windows)]


def si_sdr(found, wanted):
    """Return the scale-invariant signal-to-distortion ratio in dB."""
    target = wanted * np.dot(found, wanted) / np.dot(wanted, wanted)
    return 10 * np.log10(np.sum(target**2) / np.sum((found - target) ** 2))
