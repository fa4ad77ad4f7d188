# Measure the models of this folder in streams of voices that they were not trained with
# MIT license; Copyright (c) 2026 the tflm authors

# The code of boards runs in MicroPython's unix port: detector, clips and recognizer together.

import json
import sys
import tempfile
import wave
from pathlib import Path

import numpy as np
from tflm_tools.speech.listen import listen
from tflm_tools.training import streams, voices
from tflm_tools.training.recordings import say
from tflm_tools.training.word_recordings import other_words

_HERE = Path(__file__).resolve().parent
_DETECTOR, _RECOGNIZER = _HERE / "voice.json", _HERE / "words.json"
_RATE = voices.RATE
_BEFORE, _AFTER = int(0.2 * _RATE), int(1.5 * _RATE)  # of the end of a word


def _heard(samples):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.wav"
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(_RATE)
            file.writeframes(samples.astype("<i2").tobytes())
        return list(listen(_DETECTOR, _RECOGNIZER, path))


def words(count, seed=1):
    """Print how many of `count` words are recognized, each after a pause of a second or more."""
    names = json.loads(_RECOGNIZER.read_text())["classes"]
    random = np.random.RandomState(seed)
    clips = []
    for i in range(count):
        label = 1 + i % (len(names) - 1)
        sound = say(names[label], voices.TEST_SPEAKERS, random)
        clips.append((label, np.pad(sound, (_RATE, 0))))
    stream = streams.mix(clips, seed)
    heard = _heard(stream.samples)
    right = wrong = 0
    for label, _, end in stream.words:
        near = [h for h in heard if -_BEFORE < h.end * _RATE - end < _AFTER]
        right += any(h.word == names[label] for h in near)
        wrong += any(h.word != names[label] for h in near)
    print(f"{right} of {count} words ({100 * right / count:.1f} %) are recognized, "
          f"{wrong} are taken for another word")  # fmt: skip


def others(minutes, seed=2):
    """Print the words recognized in other speech and in music, per hour."""
    names = json.loads(_RECOGNIZER.read_text())["classes"]
    random = np.random.RandomState(seed)
    texts = other_words(names[1:])
    length = int(30 * minutes * _RATE)
    clips, total = [], 0
    while total < length:
        text = " ".join(texts[random.randint(len(texts))] for _ in range(random.randint(2, 8)))
        sound = say(text, voices.TEST_SPEAKERS, random)
        clips.append((0, sound))
        total += len(sound) + int(0.7 * _RATE)
    speech = streams.mix(clips, seed).samples
    music = np.concatenate(
        [streams.music(20 * _RATE, random) for _ in range(length // 20 // _RATE)]
    )
    for what, samples in (("speech", speech), ("music", np.clip(3000 * music, -32768, 32767))):
        found = _heard(np.asarray(samples))
        hours = len(samples) / _RATE / 3600
        print(f"{len(found)} false words in {60 * hours:.1f} minutes of other {what}: "
              f"{len(found) / hours:.1f} an hour; {[h.word for h in found]}")  # fmt: skip


if __name__ == "__main__":
    words(int(sys.argv[1]))
    others(float(sys.argv[2]))
