# Tests of tflm.speech: segments, clips around words, metadata, and words in a stream
# MIT license; Copyright (c) 2026 the tflm authors

import json

import numpy as np
import pytest
from rules.sources import REPOSITORY
from support.single_op import Tensor, single_op
from tflm_tools.flat.flatten import flatten
from unit.on_device import device

_SEGMENTS = """
from tflm.speech import Segmenter

segmenter = Segmenter(**OPTIONS)
found = []
for probability in PROBABILITIES:
    event = segmenter.add(probability)
    if event:
        found.append((event, segmenter.start, segmenter.end))
event = segmenter.finish()
if event:
    found.append((event, segmenter.start, segmenter.end))
print(found)
"""


# Return the segments [(event, start, end)] of probabilities, with numpy.
def _segments(probabilities, hop=512, threshold=0.5, smooth_frames=16, look_back=8192):
    padded = np.concatenate([np.zeros(smooth_frames - 1), probabilities])
    means = np.convolve(padded, np.ones(smooth_frames) / smooth_frames, "valid")
    found, start = [], None
    for i, voice in enumerate(means > threshold):
        at = (i + 1) * hop
        if voice and start is None:
            start = max(at - look_back, 0)
            found.append(("start", start, at))
        elif not voice and start is not None:
            found.append(("end", start, at))
            start = None
    if start is not None:
        found.append(("end", start, len(probabilities) * hop))
    return found


@pytest.mark.parametrize("options", [
    {}, {"threshold": 0.3, "smooth_frames": 4}, {"hop": 256, "look_back": 0, "smooth_frames": 1},
])  # fmt: skip
def test_segments(options):
    random = np.random.RandomState(3)
    levels = np.repeat(random.randint(0, 2, 12), random.randint(3, 40, 12))
    probabilities = np.clip(levels + random.normal(0, 0.3, len(levels)), 0, 1).round(4)
    wanted = _segments(probabilities, **options)
    assert len(wanted) > 3
    lines = device(_SEGMENTS, OPTIONS=options, PROBABILITIES=probabilities.tolist())
    assert lines == [str(wanted)]


def test_long_speech_is_split():
    options = {"max_samples": 30 * 512, "smooth_frames": 2}
    (line,) = device(_SEGMENTS, OPTIONS=options, PROBABILITIES=[0.9] * 100)
    ends = [end - start for event, start, end in eval(line) if event == "end"]
    assert len(ends) > 2 and max(ends) <= 30 * 512 + 8192


_CENTER = """
from array import array
from tflm.speech.sound import Sound

sound = Sound(SIZE)
samples = array("h", SAMPLES)
for at in range(0, len(samples), 500):
    sound.append(samples[at : at + 500], len(samples[at : at + 500]))
    sound.append(b"odd" + bytes(1), 0)
print(sound.end, *sound.center(START, END))
last = [sound.samples[i % SIZE] for i in range(sound.end - SIZE, sound.end)]
print(last == list(samples[-SIZE:]))
"""


def test_center_of_energy():
    random = np.random.RandomState(5)
    samples = random.normal(0, 20, 9000)
    samples[6000:6900] += random.normal(0, 5000, 900)
    samples = samples.astype(int)
    ends, is_equal = device(_CENTER, SIZE=4096, SAMPLES=samples.tolist(), START=5300, END=8700)
    end, middle, mean_square = map(int, ends.split())
    section = samples[5300:8700].astype(float) ** 2
    wanted = 5300 + np.sum(np.arange(len(section)) * section) / section.sum()
    assert end == 9000 and abs(middle - wanted) <= 64
    assert mean_square == pytest.approx(section.mean(), rel=0.02)
    assert is_equal == "True"


# A model of one fully connected layer that adds up an input, as a detector or a recognizer.
def _sums(outputs, mels=8, frames=4):
    count = mels * frames
    x = Tensor((1, 1, mels, frames), "int8", scale=0.05, zero_point=0)
    weights = np.zeros((outputs, count), np.int8)
    weights[:, :frames] = 1  # the lowest band
    filters = Tensor((outputs, count), "int8", weights, scale=0.1, zero_point=0)
    y = Tensor((1, outputs), "int8", scale=0.1, zero_point=0)
    return single_op("FULLY_CONNECTED", [x, filters], [y])


_GOOD = {"model": "m.tflite", "n_mels": 8, "hop_length": 512, "window_frames": 4}
_WORDS = {"model": "w.tflite", "n_mels": 8, "hop_length": 512, "target_frames": 4,
          "classes": ["a", "b", "_c"], "center": False}  # fmt: skip
_METADATA = {
    "good": (_GOOD, "SpeechDetector"),
    "words": (_WORDS, "WordRecognizer"),
    "no object": ([1], "is no JSON object"),
    "no model": ({**_GOOD, "model": "../m.tflite"}, "names no model beside it"),
    "missing": ({**_GOOD, "model": "none.tflite"}, "OSError"),
    "no frames": ({**_GOOD, "window_frames": None}, 'lacks "window_frames"'),
    "text": ({**_GOOD, "n_mels": "8"}, "has for \"n_mels\" '8'"),
    "bool": ({**_GOOD, "hop_length": True}, 'has for "hop_length" True'),
    "range": ({**_GOOD, "n_fft": 100}, "invalid setting: n_fft is 100"),
    "threshold": ({**_GOOD, "threshold": 2}, "threshold is 2"),
    "shape": ({**_GOOD, "n_mels": 9}, "the features are int8 [9, 4]"),
    "hop": ({**_GOOD, "hop_length": 500}, "n_fft is 512 and hop_length 500"),
    "classes": ({**_WORDS, "classes": ["a"]}, "3 outputs, the metadata 1 classes"),
    "no texts": ({**_WORDS, "classes": [1, 2, 3]}, "no list of texts"),
    "seconds": ({**_WORDS, "clip_seconds": 1e9}, 'has for "clip_seconds"'),
    "outputs": ({**_GOOD, "model": "w.tflite"}, "a voice detector has one logit"),
}
_LOAD = """
import tflm.speech as speech

for path in PATHS:
    try:
        print(type(speech.load(path)).__name__)
    except (TflmError, OSError) as error:
        print(type(error).__name__, error)
"""


def test_metadata(tmp_path):
    (tmp_path / "m.tflite").write_bytes(_sums(1))
    (tmp_path / "w.tflite").write_bytes(_sums(3))
    paths = []
    for name, (metadata, _) in _METADATA.items():
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(metadata))
        paths.append(str(path))
    lines = device(_LOAD, PATHS=paths)
    for (name, (_, wanted)), line in zip(_METADATA.items(), lines, strict=True):
        assert wanted in line, (name, line)


_SHARED = REPOSITORY.parent / "shared/models/speech"
_LISTEN = """
import asyncio
import io
import tflm.speech as speech

detector = speech.load(DETECTOR, model=DETECTOR_MODEL)
recognizer = speech.load(WORDS, model=WORDS_MODEL, level=0.05, spectrum=detector.features.spectrum)
data = open(SOUND, "rb").read()
words = list(speech.listen(io.BytesIO(data), recognizer, detector))
for word in words:
    print(word.text, word.start, word.end)


async def main():
    found = []
    async for word in speech.listen(io.BytesIO(data), recognizer, detector):
        found.append(word.text)
    return found


detector.reset()
assert asyncio.run(main()) == [word.text for word in words]
"""


@pytest.mark.skipif(not _SHARED.exists(), reason="needs the models in ../shared/models/speech")
def test_models_of_moonshine(tmp_path):
    """Voice detector and recognizer of Moonshine Micro name the digits of an espeak-ng voice."""
    voices = pytest.importorskip("tflm_tools.training.voices")
    if voices.shutil.which("espeak-ng") is None:
        pytest.skip("needs espeak-ng")
    said = ["zero", "three", "seven", "nine", "delete"]
    random = np.random.RandomState(0)
    sounds, ends, at = [], [], 0
    for word in said:
        sound = voices.say(word, "en-us", "Andy", 140)
        sounds += [np.zeros(16000), 1800 * sound / np.sqrt(np.mean(sound**2))]
        at += 16000 + len(sound)
        ends.append(at)
    samples = np.concatenate([*sounds, np.zeros(16000)])
    samples += random.normal(0, 8, len(samples))
    (tmp_path / "sound.raw").write_bytes(np.round(samples).astype("<i2").tobytes())
    names = {"DETECTOR": "tinyvad_cnn_speech_mel_head16", "WORDS": "spelling_cnn_mel_int8"}
    for key, name in names.items():
        data = flatten((_SHARED / f"{name}.tflite").read_bytes())
        (tmp_path / f"{key}.tflm").write_bytes(data)
    lines = device(
        _LISTEN, timeout=120,
        DETECTOR=str(_SHARED / "tinyvad_cnn_speech_meta.json"),
        WORDS=str(_SHARED / "spelling_cnn_meta.json"),
        DETECTOR_MODEL=str(tmp_path / "DETECTOR.tflm"), WORDS_MODEL=str(tmp_path / "WORDS.tflm"),
        SOUND=str(tmp_path / "sound.raw"),
    )  # fmt: skip
    words = [line.split() for line in lines]
    assert len(words) == len(said)
    assert sum(word[0] == wanted for word, wanted in zip(words, said, strict=True)) >= 4
    for (_, start, end), wanted in zip(words, ends, strict=True):
        assert int(start) < wanted < int(end) < wanted + 12000
