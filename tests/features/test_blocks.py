# Tests of tflm.features: blocks of Edge Impulse against numpy, without heap after the first call
# MIT license; Copyright (c) 2026 the tflm authors

import json
import sys

import numpy as np
import pytest
from rules.sources import REPOSITORY
from tflm.features.settings import read_settings
from tflm_tools.features import blocks
from unit.on_device import device

sys.path.insert(0, str(REPOSITORY / "tools"))

# Computes each case twice, the second time without heap, into float32; then into an int8 input.
_CODE = """
import json
from array import array
from tflm import dtypes, features
from tflm.tensor import Tensor

for case in json.load(open(PATH)):
    block = features.load(case["json"])
    samples = array(case["typecode"], case["samples"])
    target = array("f", bytes(4 * block.size))
    block.compute(samples, target)
    first = bytes(target)
    micropython.heap_lock()
    block.compute(samples, target)
    micropython.heap_unlock()
    assert bytes(target) == first
    tensor = Tensor("x", dtypes.INT8, (1, block.size), BITS, -7, memoryview(bytearray(block.size)))
    block.compute(samples, tensor)
    wanted = Tensor("x", dtypes.INT8, (1, block.size), BITS, -7, memoryview(bytearray(block.size)))
    wanted.quantize(target)
    # The input is divided by its scale in float32, the device's floats may have 64 bits.
    assert all(abs(a - b) <= 1 for a, b in zip(tensor.data, wanted.data))
    assert sum(a != b for a, b in zip(tensor.data, wanted.data)) <= block.size // 100
    print(json.dumps([block.shape, list(target)]))
"""
_SCALE = np.float32(0.0437)


# Compute cases (description, samples) on the device; return [(shape, features)].
def _compute(tmp_path, cases):
    cases = [
        {
            "json": description,
            "typecode": "h" if samples.dtype == np.int16 else "f",
            "samples": samples.reshape(-1).tolist(),
        }
        for description, samples in cases
    ]
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(cases))
    lines = device(
        _CODE, heap="64M", timeout=120, PATH=str(path), BITS=int(_SCALE.view(np.uint32))
    )
    return [json.loads(line) for line in lines]


# Compare all cases with numpy.
def _check(tmp_path, cases, rtol=1e-4, atol=1e-4):
    for (description, samples), (shape, found) in zip(
        cases, _compute(tmp_path, cases), strict=True
    ):
        settings = read_settings(description)
        assert tuple(shape) == settings.shape
        wanted = blocks.features(settings, samples)
        np.testing.assert_allclose(found, wanted, rtol, atol, err_msg=str(description))


# Motion of three axes: noise, two tones, gravity.
def _motion(seed, count=100, rate=100, scale=1.0):
    time = np.arange(count) / rate
    tones = [np.sin(2 * np.pi * 7 * time), np.cos(2 * np.pi * 3 * time), 9.8 + 0 * time]
    noise = np.random.RandomState(seed).normal(0, 0.5, (count, 3))
    samples = scale * (np.stack(tones, axis=1) + noise)
    return samples.astype(np.float32)


# A chirp with noise.
def _sound(seed, count=16000, loudness=8000.0):
    time = np.arange(count) / 16000
    noise = np.random.RandomState(seed).normal(0, loudness / 20, count)
    sound = loudness * np.sin(2 * np.pi * (200 + 1500 * time) * time) + noise
    return sound.astype(np.int16)


def _spectral(version=4, axes=3, count=100, rate=100, **parameters):
    return {
        "type": "spectral-analysis", "implementationVersion": version, "frequencyHz": rate,
        "windowSizeMs": 1000 * count / rate, "axes": ["x", "y", "z"][:axes], **parameters,
    }  # fmt: skip


def _audio(kind, version=4, **parameters):
    filters = {} if kind == "spectrogram" or version == 4 else {"num_filters": 20}
    return {
        "type": kind, "implementationVersion": version, "frequencyHz": 16000,
        "windowSizeMs": 1000, "axes": ["audio"], **filters, **parameters,
    }  # fmt: skip


@pytest.mark.parametrize("version", [2, 3, 4])
def test_spectral_analysis(tmp_path, version):
    cases = []
    for i, parameters in enumerate([
        {},
        {"fft-length": 64},
        {"fft-length": 32, "do-fft-overlap": False, "do-log": False},
        {"filter-type": "low", "filter-cutoff": 8},
        {"filter-type": "high", "filter-cutoff": 5, "filter-order": 4, "fft-length": 128},
        {"filter-type": "low", "filter-cutoff": 20, "filter-order": 0},
        {"scale-axes": -2.5},
    ]):  # fmt: skip
        cases.append((_spectral(version, **parameters), _motion(i)))
    cases.append((_spectral(version), (_motion(9, scale=1500)).astype(np.int16)))
    _check(tmp_path, cases)


def test_spectral_analysis_of_slow_signals(tmp_path):
    samples = _motion(1, 1000)
    cases = [
        (_spectral(count=1000, **parameters), samples)
        for parameters in [
            {"input-decimation-ratio": "3", "fft-length": 32},
            {"input-decimation-ratio": "100", "fft-length": 4},
            {"input-decimation-ratio": 30, "filter-type": "low", "filter-cutoff": 0.5},
            {"extra-low-freq": True, "fft-length": 32},
        ]
    ]
    _check(tmp_path, cases)


# A low cut-off amplifies rounding errors of the filter, the reference's errors too.
def test_filter_with_low_cutoff(tmp_path):
    case = _spectral(count=400, **{"filter-type": "low", "filter-cutoff": 1, "fft-length": 128})
    _check(tmp_path, [(case, _motion(5, 400))], rtol=2e-3, atol=2e-3)


def _wavelet(name, level, version=4, axes=3, count=100, **parameters):
    wavelet = {"analysis-type": "Wavelet", "wavelet": name, "wavelet-level": level}
    return _spectral(version, axes, count, **wavelet, **parameters)


def test_wavelets(tmp_path):
    small = _motion(1, scale=1e-3) + np.float32(20)
    cases = [
        (_wavelet("db4", 1), _motion(3)),
        (_wavelet("db10", 0), small),
        (_wavelet("bior3.1", 4, count=600), _motion(4, 600)),
        (_wavelet("rbio6.8", 3, 3, count=256), _motion(5, 256)),
        (_wavelet("coif3", 5, 3, axes=1, count=2000), _sound(6, 2000)),
        (_wavelet("sym8", 10, axes=1, count=32768), _sound(6, 32768)),
        (_wavelet("db2", 1, **{"scale-axes": -2.5}), _motion(7)),
        (_wavelet("db3", 1, **{"filter-type": "low", "filter-cutoff": 8}), _motion(8)),
        (_wavelet("db5", 2, count=1000, **{"input-decimation-ratio": 3}), _motion(9, 1000)),
        (_wavelet("sym4", 1), np.full((100, 3), 7, np.int16)),
    ]
    _check(tmp_path, cases)
    # A mean of 0 is exact to the float32 precision of the samples.
    integers = (_motion(2, scale=1500)).astype(np.int16)
    cases = [(_wavelet(name, 1), integers) for name in ("db4", "haar")]
    _check(tmp_path, cases, atol=1e-3)


# Each wavelet that the reference has.
def test_names_of_wavelets(tmp_path):
    names = ["haar", *(f"db{i}" for i in range(2, 11)), *(f"sym{i}" for i in range(2, 11))]
    orders = ["1.3", "1.5", "2.2", "2.4", "2.6", "2.8", "3.1", "3.3", "3.5", "3.7", "3.9"]
    orders += ["4.4", "5.5", "6.8"]
    names += [*(f"coif{i}" for i in (1, 2, 3)), *(k + o for k in ("bior", "rbio") for o in orders)]
    _check(tmp_path, [(_wavelet(name, 1, axes=1), _motion(9)[:, :1].copy()) for name in names])
    assert len(names) == 50


# The numpy implementation against PyWavelets, and the filters against its filters.
def test_pywavelets():
    pywt = pytest.importorskip("pywt")
    import wavelet_filters

    assert wavelet_filters.TARGET.read_text() == wavelet_filters.table()
    x = _motion(1, 300)[:, :1].astype(float)
    for name, level in (("db4", 3), ("sym5", 2), ("coif2", 1), ("bior2.4", 3), ("rbio3.9", 2)):
        settings = read_settings(_wavelet(name, level, axes=1, count=300))
        found = blocks.features(settings, x).reshape(-1, 14)
        for row, wanted in zip(
            found, pywt.wavedec(x[:, 0] - x.mean(), name, level=level), strict=True
        ):
            statistics = [wanted.mean(), wanted.std(), wanted.var(ddof=1)]
            np.testing.assert_allclose(row[8:11], statistics, rtol=1e-6, atol=1e-7)


def test_flatten(tmp_path):
    flatten = {
        "type": "flatten",
        "frequencyHz": 100,
        "windowSizeMs": 1000,
        "axes": ["x", "y", "z"],
    }
    random = np.random.RandomState(4).randint(-32768, 32768, (100, 3)).astype(np.int16)
    cases = [
        (flatten, _motion(2)),
        (flatten, random // 100),
        ({**flatten, "scale-axes": -0.01, "rms": False, "average": "false"}, random),
        (flatten, _motion(3, scale=1e-3) + np.float32(20)),
        (flatten, np.full((100, 3), -7, np.int16)),
    ]
    _check(tmp_path, cases, rtol=2e-4)


# An impulse of several blocks.
def test_impulse(tmp_path):
    impulse = {
        "inputBlocks": [{"windowSizeMs": 1000, "frequencyHz": 100}],
        "dspBlocks": [
            {"type": "spectral-analysis", "axes": ["x", "y", "z"], "fft-length": 32},
            {"type": "flatten", "axes": ["x", "y", "z"], "skewness": False},
        ],
    }
    _check(tmp_path, [(impulse, _motion(6)), (impulse, _motion(7, scale=900).astype(np.int16))])


@pytest.mark.parametrize("version", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["mfe", "mfcc", "spectrogram"])
def test_sound(tmp_path, kind, version):
    cases = [(_audio(kind, version), _sound(1)), (_audio(kind, version), _sound(2, 16000, 60))]
    cases.append((_audio(kind, version), _sound(3).astype(np.float32)))
    if kind == "spectrogram":
        cases.append((_audio(kind, version), (_sound(3) / 32768).astype(np.float32)))
    # An energy at the boundary of two steps may be rounded to either.
    _check(tmp_path, cases, 5e-4, 5e-4 if kind == "mfcc" else 1 / 255 if version > 2 else 1e-5)


def test_sound_with_other_parameters(tmp_path):
    long = {"frame_length": 0.032, "frame_stride": 0.016, "fft_length": 512}
    cases = [
        (_audio("mfcc", win_size=0, low_frequency=80, high_frequency=7000, **long), _sound(1)),
        (_audio("mfcc", win_size=11, pre_cof=0, num_cepstral=20), _sound(2)),
        (_audio("mfcc", 2, pre_cof=0.9, pre_shift=3), _sound(3)),
        (_audio("mfcc", frame_length=0.03), _sound(4)),  # longer than the FFT
        (_audio("mfe", noise_floor_db=-72, low_frequency=300, **long), _sound(5, 16000, 2000)),
        (_audio("mfe", 1, win_size=5), _sound(6)),
        (_audio("spectrogram", noise_floor_db=-90, **long), _sound(7)),
    ]
    _check(tmp_path, cases, 5e-4, 1e-3)


def test_silence(tmp_path):
    silence = np.zeros(16000, np.int16)
    cases = [(_audio(kind), silence) for kind in ("mfe", "spectrogram")]
    cases += [(_audio("mfcc", win_size=0), silence), (_spectral(), np.zeros((100, 3), np.float32))]
    _check(tmp_path, cases)


# The first features of the public Python reference for the samples of test_public_reference()
# (edgeimpulse/processing-blocks at 9b0ceb2, run with numpy 2.4, scipy 1.17 and PyWavelets 1.9).
_PUBLISHED = [
    [1.09546, 1.1391, 1.51386, 1.42014, 1.10994, 0.6803, 0.368889, 0.312731],
    [0.125, 0.148438, 0.269531, 0.0859375, 0.046875, 0.269531, 0.132812, 0.296875],
    [1.88803, 2.0333, 1.91884, 1.84363, 1.80855, 1.80097, 1.79404, 1.77693],
    [2.31034, -0.00247806, -1.20061, 1.51998, 1.28578, 0.910834, 0.203672, 0.276669],
    [
        3.35536, 0.396226, 0.396226, -2.10352, -0.906366, 1.17576, 2.23642, 0.1151, -0.0261712,
        1.53352, 2.3969, 1.53374, -0.960529, 2.46872, 1.78214, 0.660377, 0.660377, -3.97686,
        -3.97686, 3.15341, 3.15341, 0.823453, -0.0881405, 2.93325, 8.76939, 2.93457, -0.347681,
        -1.49725,
    ],
]  # fmt: skip


def test_public_reference(tmp_path):
    ramp = (np.arange(16000) * 37 % 4001 - 2000).astype(np.int16)
    motion = (np.arange(300) * 7 % 64 / 8).astype(np.float32)
    cases = [
        (_audio("mfcc"), ramp),
        (_audio("mfe"), ramp),
        (_audio("spectrogram"), ramp),
        (_spectral(), motion),
        (_wavelet("db4", 1), motion),
    ]
    for (_, found), wanted in zip(_compute(tmp_path, cases), _PUBLISHED, strict=True):
        np.testing.assert_allclose(found[: len(wanted)], wanted, 5e-4, 5e-4)
