# Tests of `tflm speech train`: its words, examples of the networks, and a short training
# MIT license; Copyright (c) 2026 the tflm authors

import json
import subprocess
import sys

import numpy as np
import pytest
from tflm_tools.errors import ToolError
from tflm_tools.training import process, streams, voices, word_recordings
from tflm_tools.training.network import clips
from unit.on_device import device


# The pronunciation of a test: the text, with "two" and "too" alike.
def _phonemes(texts):
    return [text.replace("too", "two") for text in texts]


def test_words_that_cannot_be_trained(monkeypatch):
    monkeypatch.setattr(voices, "phonemes", _phonemes)
    assert word_recordings.checked(["Yes", "no"]) == ["yes", "no"]
    for words, message in [
        (["yes"], "1 words cannot be trained; name 2 to 64"),
        (["yes", "go now"], "'go now' is not a word"),
        (["yes", "no2"], "'no2' is not a word"),
        (["yes", "YES"], "'yes' is named twice"),
        (["two", "too"], "'too' sounds like 'two'"),
    ]:
        with pytest.raises(ToolError, match=message):
            word_recordings.checked(words)


def test_other_words_do_not_sound_like_words(monkeypatch):
    monkeypatch.setattr(voices, "phonemes", _phonemes)
    others = word_recordings.other_words(["go", "two"])
    assert not {"go", "two", "too", "goes", "good"} & set(others) and "house" in others


def test_music():
    first = streams.music(16000, np.random.RandomState(1))
    assert np.array_equal(first, streams.music(16000, np.random.RandomState(1)))
    assert len(first) == 16000 and np.mean(first**2) == pytest.approx(1, rel=1e-6)


# A recording whose features are the number of the column, with two words and other speech.
@pytest.fixture
def paths(tmp_path):
    path = tmp_path / "a.npz"
    utterances = [
        (1, 60000, 70000, 65000),
        (2, 100000, 108000, 104000),
        (0, 150000, 170000, 160000),
    ]
    np.savez(
        path,
        words=np.repeat(np.arange(800, dtype=np.float16)[:, None], 40, 1),
        voice=np.repeat(np.arange(400, dtype=np.float16)[:, None], 32, 1),
        utterances=np.array(utterances, np.int32),
    )
    return [path]


def test_examples_of_words(paths):
    examples = clips.Words(paths)
    assert examples.classes == 3
    random = np.random.RandomState(1)
    centers = {1: 65000, 2: 104000}
    labels = []
    for _ in range(200):
        x, label = examples._example(random)
        labels.append(label)
        assert x.shape == (64, 40)
        if label:  # the word is in the middle of the clip
            middle = (float(x[0, 0]) + 31.5) * 256 + 256
            assert abs(middle - centers[label]) < 1600 + 256
    assert 0.5 < np.mean(np.array(labels) > 0) < 0.7
    x, y = examples.batch(1, 7)
    again, _ = examples.batch(1, 7)
    assert np.array_equal(x, again) and x.shape == (128, 64, 1, 40) and y.shape == (128,)
    assert abs(x.mean()) < 1e-4 and x.std() == pytest.approx(1, abs=1e-2)
    ((x, y),) = examples.centered()
    assert x.shape == (3, 64, 1, 40) and y.tolist() == [1, 2, 0]


def test_examples_of_voice(paths):
    examples = clips.Voice(paths)
    random = np.random.RandomState(1)
    labels = []
    for _ in range(200):
        x, label = examples._example(random)
        at = (float(x[-1, 0]) - clips.VOICE_DELAY) * 512 + 256
        is_voice = any(first <= at < end for first, end in ((60000, 70000), (100000, 108000),
                                                            (150000, 170000)))  # fmt: skip
        near = min(abs(at - edge) for edge in (60000, 70000, 100000, 108000, 150000, 170000))
        assert label == is_voice or near < 512
        labels.append(label)
    assert 0.4 < np.mean(labels) < 0.6


_LOAD = """
import tflm.speech as speech
recognizer = speech.load(PATH)
print(recognizer.classes, recognizer.settings.frames, recognizer.length)
"""


def test_short_training(tmp_path):
    try:
        process.find_python()
        voices.check_program()
    except ToolError as error:
        pytest.skip(f"{error}; make -C tests wake-train")
    folder = tmp_path / "words"
    command = [sys.executable, "-m", "tflm_tools", "speech", "train", "yes", "no", "-o", folder]
    done = subprocess.run([*command, "--minutes", "0.1", "--json"], capture_output=True)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["said"] + result["others"] == 100 and result["said"] > 50
    assert {path.name for path in folder.iterdir()} == {"words.tflite", "words.json"}
    (line,) = device(_LOAD, PATH=str(folder / "words.json"))
    assert line == "['_unknown_', 'yes', 'no'] 64 16640"
