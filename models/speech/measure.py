# Measure the models of this folder in streams of voices that they were not trained with
# MIT license; Copyright (c) 2026 the tflm authors

# Arguments: WORDS MINUTES SEED. The code of boards runs in MicroPython's unix port: detector,
# clips and recognizer together.

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
_THRESHOLDS = (0.5, 0.7, 0.8, 0.9, 0.95)
_BEFORE, _AFTER = int(0.2 * _RATE), int(1.5 * _RATE)  # of the end of a word


def _heard(samples):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.wav"
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(_RATE)
            file.writeframes(samples.astype("<i2").tobytes())
        return list(listen(_DETECTOR, _RECOGNIZER, path, _THRESHOLDS[0]))


def words(count, seed):
    """Print how many of `count` words are recognized, each after a pause, for each threshold."""
    names = json.loads(_RECOGNIZER.read_text())["classes"]
    random = np.random.RandomState(seed)
    clips = []
    for i in range(count):
        label = 1 + i % (len(names) - 1)
        sound = say(names[label], voices.TEST_SPEAKERS, random)
        clips.append((label, np.pad(sound, (_RATE, 0))))
    stream = streams.mix(clips, seed)
    heard = _heard(stream.samples)
    for threshold in _THRESHOLDS:
        right = wrong = 0
        for label, _, end in stream.words:
            near = [h for h in heard if -_BEFORE < h.end * _RATE - end < _AFTER]
            near = [h.word for h in near if h.probability >= threshold]
            right += names[label] in near
            wrong += any(word != names[label] for word in near)
        print(f"threshold {threshold}: {right} of {count} words ({100 * right / count:.1f} %) are "
              f"recognized, {wrong} are taken for another word")  # fmt: skip


def others(minutes, seed):
    """Print the words recognized in other speech and in music, for each threshold."""
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
        print(f"{60 * hours:.1f} minutes of other {what}")
        for threshold in _THRESHOLDS:
            false = [h.word for h in found if h.probability >= threshold]
            print(f"threshold {threshold}: {len(false)} false words, {len(false) / hours:.1f} an "
                  f"hour: {' '.join(false)}", flush=True)  # fmt: skip


if __name__ == "__main__":
    seed = int(sys.argv[3])
    words(int(sys.argv[1]), seed)
    others(float(sys.argv[2]), seed + 1)
