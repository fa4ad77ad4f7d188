# Count the detected words of a stream, with the recognizer of the app and the scores of TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tflite_micro import runtime
from tflm_tools.training.voices import RATE
from windows import CHANNELS, FRAMES, features

_ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(_ROOT / "firmware" / "apps" / "keywords"))

from recognizer import Recognizer  # noqa: E402

_RUN_EVERY = 4  # frames, as in the app
_FIRST_RUN = -(-FRAMES // _RUN_EVERY) * _RUN_EVERY
_HOP_SECONDS = 0.02
_FIRST_WORD = 2
_LATE = 0.8  # seconds after the end of a word; a later detection is a false alarm


class Count(NamedTuple):
    """words: spoken keywords. found: detected keywords. wrong: false alarms. hours: of sound."""

    words: int
    found: int
    wrong: int
    hours: float


def scores(model, samples):
    """Return int8 [runs, labels] of a .tflite over int16 samples, one run every fourth frame."""
    rows = features(samples)
    interpreter = runtime.Interpreter.from_bytes(model)
    found = []
    for end in range(_FIRST_RUN, len(rows) + 1, _RUN_EVERY):
        interpreter.set_input(rows[end - FRAMES : end].reshape(1, FRAMES, 1, CHANNELS), 0)
        interpreter.invoke()
        found.append(interpreter.get_output(0)[0])
    return np.array(found)


def detections(rows, **options):
    """Return a list of (label index, seconds) that the recognizer detects in `scores`."""
    recognizer = Recognizer(rows.shape[1], **options)
    found = []
    for run, row in enumerate(rows.view(np.uint8).tolist()):
        label = recognizer.recognize(row)
        if label >= 0:
            found.append((label, (_FIRST_RUN + run * _RUN_EVERY) * _HOP_SECONDS))
    return found


def count(stream, rows, **options):
    """Return the Count of a Stream with these scores."""
    said = [
        (label, first / RATE, end / RATE)
        for label, first, end in stream.words
        if label >= _FIRST_WORD
    ]
    left = list(said)
    wrong = 0
    for label, time in detections(rows, **options):
        hits = [word for word in left if word[0] == label and word[1] < time < word[2] + _LATE]
        if hits:
            left.remove(hits[0])
        else:
            wrong += 1
    return Count(len(said), len(said) - len(left), wrong, len(stream.samples) / RATE / 3600)
