# Data for a Learner: inputs that our models were not trained with, and their classes
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import numpy as np

_FILES = {
    "digits": ("digits/digits_int8.tflite", "digits/digits_test.npz"),
    "keywords": ("keywords/keywords_int8.tflite", "keywords/new_words.npz"),
}
_GESTURES = "gestures/gestures_int8.tflite"
NAMES = (*_FILES, "gestures")


def load(repository, name):
    """Return (model's path, x, y) of one of NAMES; x: real numbers, or int8 as in the model."""
    models = repository / "models"
    if name in _FILES:
        model, file = _FILES[name]
        with np.load(models / file) as arrays:
            return models / model, arrays["x"], arrays["y"].astype(int)
    sys.path.insert(0, str(models / "gestures"))
    from wearers import LABELS, Wearer

    windows = [Wearer(90_000 + i).record(label) for i in range(30) for label in LABELS[1:]]
    return models / _GESTURES, np.stack(windows), np.arange(len(windows)) % (len(LABELS) - 1)
