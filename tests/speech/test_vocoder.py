# Tests of tflm.speech.Vocoder and Voice: levels of harmonics and noise, packs, and words they say
# MIT license; Copyright (c) 2026 the tflm authors

import json
import wave

import numpy as np
import pytest
from rules.sources import REPOSITORY
from tflm_tools.errors import ToolError
from tflm_tools.flat.flatten import flatten
from tflm_tools.speech import codes
from tflm_tools.speech.analysis import analyze
from tflm_tools.speech.listen import listen
from tflm_tools.training.say import voice_pack
from unit.on_device import device

_MODELS = REPOSITORY / "models/speech"
_DECODER = _MODELS / "decoder.tflite"
_SOUND = REPOSITORY / "models/keywords/words.wav"  # yes, no, stop
_RATE = 16000
_SCALE = 1 / 4096
_SAY = """
from array import array
from tflm.speech import Vocoder

values = array("h", open(VALUES, "rb").read())
pitches = array("H", open(PITCHES, "rb").read())
vocoder = Vocoder(SCALE)
with open(SOUND, "wb") as file:
    for i in range(len(pitches)):
        if vocoder.add(values, pitches[i], 60 * i):
            file.write(vocoder.samples)
"""


# Return the sound of frames (float [n, 60], or int16) and pitches in Hz.
def _said(folder, values, hertz):
    if values.dtype != np.int16:
        values = np.round(values / _SCALE).astype(np.int16)
    (folder / "values").write_bytes(values.tobytes())
    (folder / "pitches").write_bytes(np.round(16 * np.asarray(hertz)).astype("<u2").tobytes())
    path = folder / "sound"
    device(_SAY, VALUES=str(folder / "values"), PITCHES=str(folder / "pitches"),
           SOUND=str(path), SCALE=_SCALE)  # fmt: skip
    return np.fromfile(path, "<i2") / 32768


def _frames(count, level, aperiodicity):
    return np.repeat([[level] * 48 + [aperiodicity] * 12], count, 0)


# The vocoder's definition: harmonics of 2 * amplitude / sqrt(period) samples.
@pytest.mark.parametrize("pitch", [80, 127, 250, 613.5])
def test_harmonics(tmp_path, pitch):
    sound = _said(tmp_path, _frames(160, -1.3, 0), [pitch] * 160)[2048:10240]
    window = np.hanning(len(sound))
    times = np.arange(len(sound)) / _RATE
    wanted = 2 * 10**-1.3 * np.sqrt(pitch / _RATE)
    for i in range(1, int(7000 / pitch), max(int(900 / pitch), 1)):
        found = abs(2 * np.sum(window * sound * np.exp(-2j * np.pi * i * pitch * times)))
        near = 0.08 if i == 1 else 0.03  # the lowest lobe is cut off at 0 Hz
        assert found / window.sum() == pytest.approx(wanted, rel=near)
    # Between the harmonics there is nothing.
    spectrum = np.abs(np.fft.rfft(sound * window)) * 2 / window.sum()
    hertz = np.fft.rfftfreq(len(sound), 1 / _RATE)
    is_between = (np.abs(hertz / pitch % 1 - 0.5) < 0.2) & (hertz > pitch) & (hertz < 7000)
    assert spectrum[is_between].max() < 0.02 * wanted


@pytest.mark.parametrize(("pitch", "aperiodicity", "wanted"), [
    (0, 0.1, 0.02),  # without a pitch, all is noise
    (0, 1.0, 0.02),
    (200, 1.0, 0.02),
])  # fmt: skip
def test_noise(tmp_path, pitch, aperiodicity, wanted):
    sound = _said(tmp_path, _frames(400, np.log10(wanted), aperiodicity), [pitch] * 400)[2048:]
    assert sound.std() == pytest.approx(wanted, rel=0.04)
    power = np.mean(np.abs(np.fft.rfft(sound[: len(sound) // 512 * 512].reshape(-1, 512))) ** 2, 0)
    bands = power[8:248].reshape(8, 30).mean(1) / 512
    assert np.allclose(np.sqrt(bands), wanted, rtol=0.1)


# The envelope of one band, a pitch that changes, a voice that ends: levels follow in time.
def test_bands_and_time(tmp_path):
    values = _frames(300, -4, 0)
    values[:, 24] = -0.5
    hertz = np.concatenate([np.linspace(100, 200, 150), np.zeros(150)])
    values[150:, 24] = -1.5
    sound = _said(tmp_path, values, hertz)
    center = 700 * (np.exp(24 / 47 * np.log(1 + 8000 / 700)) - 1)
    for section in (sound[2000:11000], sound[14000:22000]):
        power = np.abs(np.fft.rfft(section * np.hanning(len(section)))) ** 2
        hertz = np.fft.rfftfreq(len(section), 1 / _RATE)
        assert np.sum(power * hertz) / np.sum(power) == pytest.approx(center, rel=0.03)
    assert sound[2000:11000].std() == pytest.approx(10 * sound[14000:22000].std(), rel=0.2)


# All amplitudes at their limits: samples are clipped and never wrap around.
def test_extremes(tmp_path):
    random = np.random.RandomState(4)
    values = random.choice([-32768, 32767, 0], (200, 60)).astype(np.int16)
    sound = _said(tmp_path, values, random.choice([0, 1000, 51.5], 200))
    assert sound.max() == 32767 / 32768 and sound.min() == -1
    assert not _said(tmp_path, np.full((100, 60), -32768, np.int16), [100] * 100).any()


_REFUSED = """
from array import array
from tflm.speech import Vocoder

print(raises(InputError, Vocoder, 0.001, 0, 63))
print(raises(ModelError, Vocoder, 1.0))
vocoder = Vocoder(0.02)
for values, pitch in (array("b", range(59)), 0), (bytes(60), 16001), (array("h", range(60)), 0):
    print(raises(InputError, vocoder.add, values, pitch))
print(raises(InputError, vocoder.add, array("f", [0.0] * 60), 0))
"""


def test_refusals():
    lines = device(_REFUSED)
    for line, wanted in zip(lines, [
        "pass 64 to 256 samples", "use a decoder of logarithms", "has 60 values",
        "pass 0 to 16000", "scale is too large", "has 60 values",
    ], strict=True):  # fmt: skip
        assert wanted in line


# Analysis and vocoder together: mel energies of a word as before.
def test_analysis(tmp_path):
    with wave.open(str(_SOUND)) as file:
        sound = np.frombuffer(file.readframes(32000), "<i2") / 32768
    values, hertz = analyze(sound)
    voiced = hertz[hertz > 0]
    assert 0.05 < len(voiced) / len(hertz) < 0.9 and np.ptp(voiced) < 150
    again = _said(tmp_path, values, hertz)[128:]
    levels = []
    for samples in (sound, again):
        windows = samples[: len(again) // 256 * 256].reshape(-1, 256) * np.hanning(256)
        power = np.abs(np.fft.rfft(windows))[:, 1:121] ** 2
        levels.append(10 * np.log10(power.reshape(-1, 12, 10).sum(2) + 1e-4))
    is_loud = levels[0] > levels[0].max() - 40
    assert np.abs(levels[0] - levels[1])[is_loud].mean() < 4
    assert abs((levels[0] - levels[1])[is_loud].mean()) < 1.5


_VOICE = """
from tflm.speech import Voice

class Speaker:
    def __init__(self):
        self.file = open(SOUND, "wb")

    def write(self, samples):
        self.file.write(samples)

voice = Voice(PACK)
speaker = Speaker()
for name in NAMES:
    voice.play(name, speaker)
    speaker.file.write(bytes(32000))
speaker.file.close()
print(voice.rate, "yes" in voice, "maybe" in voice)
print(raises(InputError, voice.play, "maybe", speaker))
voice.close()
"""


# What the decoder and the vocoder say is understood.
def test_voice_is_understood(tmp_path):
    with wave.open(str(_SOUND)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2") / 32768
    times = {"yes": (0.7, 1.5), "no": (1.8, 2.6), "stop": (2.9, 3.8)}
    clips = {name: samples[int(a * _RATE) : int(b * _RATE)] for name, (a, b) in times.items()}
    data = voice_pack(clips, _DECODER)
    assert len(data) < 1000 * sum(b - a + 0.2 for a, b in times.values())
    (tmp_path / "answers.pack").write_bytes(data)
    (tmp_path / "answers.tflm").write_bytes(flatten(_DECODER.read_bytes()))
    raw = tmp_path / "sound"
    lines = device(_VOICE, PACK=str(tmp_path / "answers.pack"), SOUND=str(raw), NAMES=list(times))
    assert lines[0] == "16000 True False" and "there is no clip 'maybe'" in lines[1]
    said = np.concatenate([np.zeros(_RATE, "<i2"), np.fromfile(raw, "<i2")])
    said = (said + np.random.RandomState(0).normal(0, 15, len(said))).astype("<i2")
    with wave.open(str(tmp_path / "said.wav"), "wb") as file:
        file.setparams((1, 2, _RATE, 0, "NONE", ""))
        file.writeframes(said.tobytes())
    found = listen(_MODELS / "voice.json", _MODELS / "words.json", tmp_path / "said.wav")
    assert [heard.word for heard in found] == list(times)


_DAMAGED = """
from tflm.speech import Voice

for path, model in CASES:
    print(raises(ModelError, Voice, path, tflm.load(model)))
"""


def test_damaged_packs(tmp_path):
    good = voice_pack({"no": np.zeros(800)}, _DECODER)
    decoder, other = tmp_path / "d.tflm", tmp_path / "o.tflm"
    decoder.write_bytes(flatten(_DECODER.read_bytes()))
    other.write_bytes(flatten((_MODELS / "voice.tflite").read_bytes()))
    cases = []
    for i, data in enumerate([b"", good[:-1], b"X" + good[1:], good[:15]]):
        (tmp_path / str(i)).write_bytes(data)
        cases.append((str(tmp_path / str(i)), str(decoder)))
    cases.append((cases[0][0], str(other)))
    lines = device(_DAMAGED, CASES=cases)
    assert all("make it with: tflm speech say" in line for line in lines[:4])
    assert "the decoder has int8" in lines[4]


def test_encoder(tmp_path):
    with pytest.raises(ToolError, match="cannot be read"):
        codes.read_encoder(tmp_path / "decoder.tflite")
    np.save(tmp_path / codes.ENCODER, np.zeros((3, 16)))
    with pytest.raises(ToolError, match="an encoder has 481 rows"):
        codes.read_encoder(tmp_path / "decoder.tflite")


# Codes of pitches, to Hz and back.
def test_pitches():
    hertz = np.repeat([0, 50, 100, 141.4, 400], 4)
    found = codes._pitch_codes(hertz).ravel()
    assert found.tolist() == [0, 0, 1, 1, 65, 65, 97, 97, 193, 193]
    line = device("from tflm.speech.voice import _pitch\nprint([_pitch(c) for c in CODES])",
                  CODES=[0, 1, 65, 193])  # fmt: skip
    assert json.loads(line[0]) == [0, 800, 1600, 6400]
