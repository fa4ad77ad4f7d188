# Test support: sww01 of MLPerf Tiny: sound, a model for it, and the expected answers
# MIT license; Copyright (c) 2026 the tflm authors

import re
import wave

import numpy as np

from .single_op import Tensor, single_op

RATE = 16000
STRIDE = 512
_WINDOW = 1024
_BANDS = 40
_ROWS = 30
_THRESHOLD = 115
SCALE = 0.0037


# Each of 3 outputs is a weighted sum of all features. Newer features have larger weights.
def model():
    """Return a .tflite with the shapes of sww01. Output 0 rises while sound is loud."""
    most = 1 + np.repeat(np.arange(_ROWS) ** 2 // 40, _BANDS)
    weights = np.random.default_rng(3).integers(0, most + 1, (3, len(most))).astype(np.int8)
    return single_op(
        "FULLY_CONNECTED",
        [
            Tensor((1, _ROWS, 1, _BANDS), "int8", scale=SCALE, zero_point=-128),
            Tensor(weights.shape, "int8", weights, scale=1.0, zero_point=0),
            Tensor((3,), "int32", np.zeros(3, np.int32), scale=SCALE, zero_point=0),
        ],
        [Tensor((1, 3), "int8", scale=9.0, zero_point=-128)],
    )


def sound(blocks, loud):
    """Return noise, int16, that is loud in the blocks of 32 ms in the slice `loud`."""
    samples = np.random.default_rng(4).normal(0, 1, (blocks, STRIDE))
    samples *= 40
    samples[loud] *= 200
    return samples.round().astype("<i2").reshape(-1)


def write_wav(path, samples):
    """Write a WAV file with two channels, like the runner's. The second channel is not used."""
    with wave.open(str(path), "wb") as file:
        file.setparams((2, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.stack([samples, 77 - samples // 3], 1).astype("<i2").tobytes())


# Return the mel bands from 0 to 8 kHz: triangles that overlap by half. The constant part counts in
# none.
def _mel():
    edges = np.linspace(0, np.log(1 + RATE / 2 / 700), _BANDS + 2)
    at = np.log(1 + np.arange(_WINDOW // 2 + 1) * RATE / _WINDOW / 700)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    weights = np.minimum((at - low) / (middle - low), (high - at) / (high - middle))
    weights[0] = 0
    return np.maximum(weights, 0)


def exact_features(samples, scale=SCALE):
    """Return floats (blocks, 40) whose integer part is the int8 feature of the reference."""
    before = np.concatenate([np.zeros(_WINDOW - STRIDE + 1), samples / 32768])
    window = 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(_WINDOW) / _WINDOW)
    mel = _mel()
    rows = []
    for begin in range(0, len(samples) // STRIDE * STRIDE, STRIDE):
        frame = before[begin : begin + _WINDOW + 1]
        spectrum = np.fft.rfft((frame[1:] - frame[:-1] * (1 - 2**-5)) * window)
        energy = np.maximum(np.abs(spectrum) ** 2 / _WINDOW @ mel, 1e-30)
        rows.append(np.clip((10 * np.log10(energy) + 52) / 64, 0, 1) / scale - 128)
    return np.clip(np.array(rows), -128, 127.5)


def outputs(oracle, data, features):
    """Return output 0 of the model for each block. Features before the first block are 0."""
    rows = np.concatenate([np.zeros((_ROWS - 1, _BANDS)), features]).astype(np.int8)
    inputs = [[rows[i : i + _ROWS].reshape(1, _ROWS, 1, _BANDS)] for i in range(len(features))]
    return [int(output[0].reshape(-1)[0]) for output in oracle.run(data, inputs)]


def detections(values):
    """Return the blocks with a pulse: the first block, and detections."""
    return [i for i, value in enumerate(values) if i == 0 or value > _THRESHOLD]


# Read the answer like the runner.
def activations(said):
    """Return the values of each block in the lines that answer `stop`."""
    found = re.search(r"target activations:\s*(\[.*?\])\s*$", "".join(said), re.DOTALL)
    assert found, said
    return [int(value) for value in found[1][1:-1].split(",") if value.strip()]
