# Tests of tflm.speech.LogMel: equal to numpy, which equals librosa; columns and clips agree
# MIT license; Copyright (c) 2026 the tflm authors

import json
from dataclasses import asdict

import numpy as np
import pytest
from tflm_tools.features.log_mel import LogMelSettings, columns, normalized
from unit.on_device import device

# A chirp and a tone, int16.
_TIME = np.arange(4096) / 16000
CHIRP = np.round(
    8000 * np.sin(2 * np.pi * (200 + 1500 * _TIME) * _TIME)
    + 500 * np.sin(2 * np.pi * 3100 * _TIME)
).astype(np.int16)

SETTINGS = {
    "detector": LogMelSettings(hop_length=512, n_mels=32, frames=16),
    "recognizer": LogMelSettings(),
    "center": LogMelSettings(hop_length=125, n_mels=64, frames=128, center=True),
    "htk": LogMelSettings(n_fft=1024, win_length=640, hop_length=160, n_mels=32, f_min=60.0,
                          f_max=7600.0, mel_scale="htk", norm=None, frames=20),
    "short": LogMelSettings(n_fft=64, win_length=50, hop_length=40, n_mels=8, frames=30),
}  # fmt: skip

# Each eighth value of columns 0, 7 and the last one of CHIRP, by librosa 0.11.0:
# log(librosa.feature.melspectrogram(y=CHIRP / 32768, sr=16000, n_fft=, win_length=, hop_length=,
# n_mels=, fmin=, fmax=, htk=, norm=, center=, pad_mode="reflect", power=2.0) + 1e-6).
LIBROSA = {
    "recognizer": (15, [
        [-5.6174, -13.7159, -13.8148, -13.8145, -13.8151],
        [-13.7227, -0.5011, -13.7986, -13.8148, -13.8152],
        [-13.7937, -10.2315, -13.0277, -13.8149, -13.8152],
    ]),
    "center": (33, [
        [0.5872, -2.3092, -5.3317, -7.1454, -9.3066, -10.1047, -8.4638, -10.52],
        [-11.4805, 0.1538, -13.4969, -13.8094, -13.8151, -13.8149, -13.8146, -13.8152],
        [-3.7149, -3.2559, -1.3894, -2.4501, -5.4455, -7.9041, -7.9278, -9.4374],
    ]),
    "htk": (20, [
        [-3.2414, -10.7629, -13.6442, -13.5047],
        [-9.9299, -5.5004, -13.5551, -13.6645],
        [-13.3613, 5.8173, -13.4962, -13.5082],
    ]),
}  # fmt: skip


# Sounds from silence to the loudest one: a chirp with noise, random samples, steps, the extremes.
def _sounds():
    random = np.random.RandomState(7)
    time = np.arange(6000) / 16000
    for loudness in (0, 3, 300, 30000):
        chirp = loudness * np.sin(2 * np.pi * (150 + 2000 * time) * time)
        noise = random.normal(0, loudness / 50 + 1, len(time))
        yield np.clip(np.round(chirp + noise * (loudness > 0)), -32768, 32767)
    yield random.randint(-32768, 32768, 6000)
    yield np.where(np.arange(6000) // 100 % 2, 32767, -32768)


_CODE = """
import json
from array import array
from tflm import dtypes
from tflm.speech.log_mel import LogMel, Settings
from tflm.tensor import Tensor

job = json.load(open(PATH))
mel = LogMel(Settings(**job["settings"]))
settings = mel.settings
for samples in job["sounds"]:
    samples = array("h", samples)
    mel.compute(samples)
    first = bytes(mel.columns)
    # A ring with this clip.
    ring = array("h", samples[1000:]) + array("h", samples[:1000])
    mel.compute(ring, len(ring), len(ring) - 1000, len(ring))
    assert bytes(mel.columns) == first
    print(json.dumps(list(mel.columns)))
    mels, frames = settings.n_mels, settings.frames
    size = mels * frames
    tensors = [
        Tensor("x", dtypes.INT8, shape, BITS, -7, memoryview(bytearray(size)))
        for shape in ((1, 1, mels, frames), (1, frames, 1, mels))
    ]
    for tensor in tensors:
        mel.write(tensor)
        print(json.dumps(list(tensor.data)))
    if not settings.center:
        mel.reset()
        count = min((len(samples) - settings.n_fft) // settings.hop_length + 1, frames)
        add = mel.add
        total = len(samples)
        hop = settings.hop_length
        add(samples, total, 0)
        mel.reset()
        micropython.heap_lock()
        i = 0
        while i < count:
            add(samples, total, i * hop)
            i += 1
        micropython.heap_unlock()
        if count < frames:
            assert bytes(mel.columns) == first
        mel.write(tensors[0])
        print(json.dumps(list(tensors[0].data)))
"""
_SCALE = np.float32(0.0437)


@pytest.mark.parametrize("name", SETTINGS)
def test_equals_numpy(tmp_path, name):
    settings, sounds = SETTINGS[name], list(_sounds())
    path = tmp_path / "job.json"
    job = {"settings": asdict(settings), "sounds": [x.astype(int).tolist() for x in sounds]}
    path.write_text(json.dumps(job))
    bits = int(_SCALE.view(np.uint32))
    lines = iter(device(_CODE, timeout=120, PATH=str(path), BITS=bits))
    shape = settings.frames, settings.n_mels
    for i, sound in enumerate(sounds):
        found = np.array(json.loads(next(lines))).reshape(shape) / 1024
        wanted = np.full(shape, np.log(settings.eps))
        rows = columns(sound, settings)[: settings.frames]
        wanted[: len(rows)] = rows
        # The largest errors are 80 dB below the loudest band.
        error = np.abs(found - wanted)
        assert error.max() < 0.05 and np.mean(error) < 0.01, (i, error.max())
        quantized = np.round(normalized(found) / _SCALE) - 7
        quantized = np.clip(quantized, -128, 127).astype(int)
        by_mel = np.array(json.loads(next(lines))).reshape(shape[::-1])
        by_frame = np.array(json.loads(next(lines))).reshape(shape)
        np.testing.assert_array_equal(by_mel.T, by_frame)
        difference = np.abs(by_frame - quantized)
        if i:  # the deviation of silence is limited, so one unit of a logarithm is large
            assert difference.max() <= 1 and np.mean(difference > 0) < 0.02
        if not settings.center:
            added = np.array(json.loads(next(lines))).reshape(shape[::-1]).T
            expected = by_frame
            if len(rows) < settings.frames:  # silence is before the columns instead of after them
                expected = np.roll(by_frame, settings.frames - len(rows), axis=0)
            np.testing.assert_array_equal(added, expected)


@pytest.mark.parametrize("name", LIBROSA)
def test_numpy_equals_librosa(name):
    count, rows = LIBROSA[name]
    found = columns(CHIRP, SETTINGS[name])
    assert len(found) == count
    for i, row in zip((0, 7, -1), rows, strict=True):
        np.testing.assert_allclose(found[i][::8], row, atol=6e-5)


_INVALID = """
from array import array
import tflm.speech as speech

for settings in SETTINGS:
    print(raises(InputError, lambda: speech.Settings(**settings)))
mel = speech.LogMel(speech.Settings())
for arguments in ((array("h", bytes(20)),), (bytes(2000),), (array("h", bytes(2000)), 2000),
                  (array("h", bytes(2000)), 1000, 1000), (array("h", bytes(2000)), 1000, -1)):
    print(raises(InputError, lambda: mel.add(*arguments)))
print(raises(InputError, lambda: mel.compute(array("h", bytes(2000)), 1000, 0, 1001)))
"""


def test_invalid_arguments():
    settings = [
        {"n_fft": 500}, {"n_fft": 4096}, {"win_length": 513}, {"hop_length": 0}, {"n_mels": True},
        {"frames": 1000, "n_mels": 64}, {"f_min": -1.0}, {"f_max": 9000.0}, {"f_min": 8000.0},
        {"mel_scale": "bark"}, {"norm": "area"}, {"eps": 0.0}, {"sample_rate": 8},
    ]  # fmt: skip
    lines = device(_INVALID, SETTINGS=settings)
    assert len(lines) == len(settings) + 6
    for (name, *_), line in zip(settings, lines, strict=False):
        assert name in line or "1000 frames of 64 mels" in line, line
    assert all("; pass" in line for line in lines)
    assert sum("not in a ring" in line for line in lines) == 5
