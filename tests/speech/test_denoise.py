# Tests of tflm.speech.Denoiser against numpy, with noise that it must suppress
# MIT license; Copyright (c) 2026 the tflm authors

import wave

import numpy as np
import pytest
from rules.sources import REPOSITORY
from tflm_tools.flat.flatten import flatten
from tflm_tools.speech import denoising
from tflm_tools.training import streams
from unit.on_device import device

_MODEL = REPOSITORY / "models/speech/denoise.tflite"
_SOUND = REPOSITORY / "models/keywords/words.wav"
_BLOCK = denoising.BLOCK
_RUN = """
from array import array
from tflm.speech import Denoiser

denoiser = Denoiser(tflm.load(MODEL))
samples = array("h", open(SOUND, "rb").read())
with open(SEEN, "wb") as file:
    for first in range(0, len(samples) - 127, 128):
        denoiser.process(samples, first)
        file.write(bytes(denoiser._features[-24:]) + bytes(denoiser._gains))
with open(FOUND, "wb") as file:
    file.write(samples)
"""


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "denoise.tflm"
    path.write_bytes(flatten(_MODEL.read_bytes()))
    return str(path)


# Return (samples, features, gains) that the board makes of int16 samples.
def _denoised(folder, model, samples):
    paths = {name: str(folder / name.lower()) for name in ("SOUND", "SEEN", "FOUND")}
    samples.astype("<i2").tofile(paths["SOUND"])
    device(_RUN, MODEL=model, **paths)
    seen = np.fromfile(paths["SEEN"], np.int8).reshape(-1, 48)
    found = np.fromfile(paths["FOUND"], "<i2")
    return found, seen[:, :24], (seen[:, 24:].astype(int) + 128) / 256


# Return (speech, speech with noise) in int16.
def _mixture(decibels, noise):
    with wave.open(str(_SOUND)) as file:
        speech = np.frombuffer(file.readframes(64000), "<i2").astype(float)
    power = np.mean(speech[np.abs(speech) > 300] ** 2)
    noise = noise / noise.std() * np.sqrt(power) * 10 ** (-decibels / 20)
    return speech, np.round(speech + noise[: len(speech)]).clip(-32768, 32767)


def test_equals_numpy(model, tmp_path):
    _, samples = _mixture(5, streams._colored(64000, 1, np.random.RandomState(3)))
    found, features, gains = _denoised(tmp_path, model, samples)
    spectrum = denoising.spectra(samples)
    differences = np.abs(features - denoising.features(spectrum))
    assert differences.max() <= 1 and differences.mean() < 0.15
    wanted = denoising.apply(spectrum, gains)
    assert np.abs(found - wanted).max() < 0.005 * np.abs(wanted).max() + 4


@pytest.mark.parametrize(("slope", "least"), [(0, 8), (1, 6), (2, 3)])
def test_gain(model, tmp_path, slope, least):
    random = np.random.RandomState(7 + slope)
    speech, samples = _mixture(5, streams._colored(64000, slope, random))
    found = _denoised(tmp_path, model, samples)[0][_BLOCK:].astype(float)
    speech, samples = speech[: len(found)], samples[: len(found)]
    before, after = (denoising.si_sdr(sound, speech) for sound in (samples, found))
    print(f"slope {slope}: SI-SDR {before:.1f} to {after:.1f} dB")
    assert after > before + least


# Neither silence nor the largest samples go wrong.
def test_extremes(model, tmp_path):
    square = np.where(np.arange(12800) // 20 % 2, 32767, -32768)
    found, _, gains = _denoised(tmp_path, model, np.concatenate([np.zeros(1280), square]))
    assert not found[:1280].any() and np.isfinite(gains).all()
    wanted = denoising.apply(denoising.spectra(np.concatenate([np.zeros(1280), square])), gains)
    assert np.abs(found - wanted.clip(-32768, 32767)).max() < 700


_SOURCE = """
import io
from array import array
from tflm.speech import Denoiser

data = bytes(i * 77 % 256 for i in range(2048 + 512))
denoiser = Denoiser(tflm.load(MODEL), io.BytesIO(data))
buffer = bytearray(1024)
heard = []
while denoiser.readinto(buffer) == 1024:
    heard.append(bytes(buffer))
denoiser.reset()
samples = array("h", b"".join([data[:2048]]))
for first in range(0, 1024, 128):
    denoiser.process(samples, first)
print(b"".join(heard) == bytes(samples))
for wrong in array("h", range(127)), bytearray(256):
    print(raises(InputError, denoiser.process, wrong))
print(raises(InputError, denoiser.readinto, bytearray(100)))
print(raises(InputError, Denoiser, tflm.load(MODEL), None, None, None, 2))
print(raises(ModelError, Denoiser, tflm.load(OTHER)))
"""


def test_source(model, tmp_path):
    other = tmp_path / "other.tflm"
    other.write_bytes(flatten((_MODEL.parent / "voice.tflite").read_bytes()))
    lines = device(_SOURCE, MODEL=model, OTHER=str(other))
    assert lines[0] == "True"
    for line, wanted in zip(lines[1:], [
        "a block is 128 samples", "a block is 128 samples", "pass a multiple of 256",
        "pass a number from 0 to 1", "int8 with 24 values for each column",
    ], strict=True):  # fmt: skip
        assert wanted in line
