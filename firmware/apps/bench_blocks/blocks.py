# App bench_blocks: blocks of signal processing on noise
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import tflm.features as features

_LOW_PASS = {"filter-type": "low", "filter-cutoff": 8}
_MAX_FEATURES = 7000  # of a block
_SOUND = {"frequencyHz": 16000, "windowSizeMs": 1000}


# The JSON of a block for one second of an accelerometer.
def _motion(rate, **options):
    block = {"type": "spectral-analysis", "axes": ["x", "y", "z"], "windowSizeMs": 1000}
    block["frequencyHz"] = rate
    block.update(options)
    return block


# (name, window, JSON)
_CASES = (
    ("Spectral Analysis", "1 s of 3 axes at 62.5 Hz", _motion(62.5)),
    ("Spectral Analysis", "1 s of 3 axes at 100 Hz", _motion(100)),
    ("Spectral Analysis, FFT of 64", "1 s of 3 axes at 100 Hz", _motion(100, fft_length=64)),
    ("Spectral Analysis, FFT of 64, low-pass filter of order 6", "1 s of 3 axes at 62.5 Hz",
     _motion(62.5, fft_length=64, **_LOW_PASS)),
    ("Spectral Analysis, low-pass filter of order 6", "1 s of 3 axes at 100 Hz",
     _motion(100, **_LOW_PASS)),
    ("Spectral Analysis, wavelet db4, level 1", "1 s of 3 axes at 100 Hz",
     _motion(100, analysis_type="Wavelet")),
    ("Flatten", "1 s of 3 axes at 100 Hz", _motion(100, type="flatten")),
    ("MFCC", "1 s at 16 kHz", dict(_SOUND, type="mfcc")),
    ("MFE, 100 frames a second", "1 s at 16 kHz", dict(_SOUND, type="mfe")),
    ("Spectrogram, 100 frames a second", "1 s at 16 kHz", dict(_SOUND, type="spectrogram")),
)  # fmt: skip


# Return int16 noise.
def _noise(count):
    seed = 1
    samples = array("h", bytes(2 * count))
    for i in range(count):
        seed = (seed * 1103 + 12345) & 0xFFFF
        samples[i] = (seed - 32768) >> 1
    return samples


# Return the function that computes a block.
def _run(settings):
    block = features.load(settings)
    samples = _SAMPLES[: block.length * block.axes]
    target = _FEATURES[: block.size]
    return lambda: block.compute(samples, target)


# Allocated first, while the heap has large free blocks.
_SAMPLES = memoryview(_noise(_SOUND["frequencyHz"]))
_FEATURES = memoryview(array("f", bytes(4 * _MAX_FEATURES)))


def cases():
    """Yield (name, window, function to measure) of each block."""
    for name, window, settings in _CASES:
        yield name, window, _run(settings)
