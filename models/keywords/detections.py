# How many words of a stream are found, by the app's own recognizer over TFLM's scores
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
_LATE = 0.8  # seconds after its end: what is found later is no hit


class Count(NamedTuple):
    """words: how many were said. found: of these, by their right names. wrong: keywords that were
    found where another was said, or none. hours: of sound.
    """

    words: int
    found: int
    wrong: int
    hours: float


def scores(model, samples):
    """int8 [runs, labels] of a .tflite over int16 samples, with a run every fourth frame."""
    rows = features(samples)
    interpreter = runtime.Interpreter.from_bytes(model)
    found = []
    for end in range(_FIRST_RUN, len(rows) + 1, _RUN_EVERY):
        interpreter.set_input(rows[end - FRAMES : end].reshape(1, FRAMES, 1, CHANNELS), 0)
        interpreter.invoke()
        found.append(interpreter.get_output(0)[0])
    return np.array(found)


def detections(rows, **options):
    """List of (label index, seconds) that the recognizer finds in `scores`."""
    recognizer = Recognizer(rows.shape[1], **options)
    found = []
    for run, row in enumerate(rows.view(np.uint8).tolist()):
        label = recognizer.recognize(row)
        if label >= 0:
            found.append((label, (_FIRST_RUN + run * _RUN_EVERY) * _HOP_SECONDS))
    return found


def count(stream, rows, **options):
    """The Count of a Stream whose `scores` are known."""
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
