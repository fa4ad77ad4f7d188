# Cut streams into windows of features of the audio front end, with labels
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import numpy as np
from tflite_micro import runtime
from tflm_tools.training.voices import RATE

_FRONT_END = Path(__file__).resolve().parents[1] / "audio_frontend"
sys.path.append(str(_FRONT_END))

import front_end  # noqa: E402

FRAMES = 49  # features of about a second
CHANNELS = front_end.CHANNELS
_HOP, _FRAME = front_end.HOP, front_end.FRAME
_LATE = int(0.4 * RATE)  # samples after a word in which its window has its label
_SILENCE, _UNKNOWN = 0, 1


def features(samples):
    """Return int8 [frames, 40]: the front end in TFLM over int16 samples."""
    interpreter = runtime.Interpreter.from_bytes(front_end.MODEL_FILE.read_bytes())
    count = max(0, (len(samples) - _FRAME) // _HOP + 1)
    found = np.empty((count, CHANNELS), np.int8)
    for i in range(count):
        interpreter.set_input(samples[i * _HOP : i * _HOP + _FRAME], 0)
        interpreter.invoke()
        found[i] = interpreter.get_output(0)
    return found


# Return the label of a window of samples, or None if it is ambiguous. A keyword counts if the
# window contains all of it and it ended recently. Half a keyword is ambiguous, but the last part
# of a keyword is unknown. `word` is the last word that begins before the end of the window.
def _label(word, begin, end):
    if word is None or word[2] <= begin:
        return _SILENCE
    label, first, last = word
    said = (min(end, last) - max(begin, first)) / (last - first)
    if label == _UNKNOWN:
        return _UNKNOWN if said > 0.5 or end > last else None
    if said == 1 and end - last <= _LATE:
        return label
    return _UNKNOWN if end > last and said < 0.3 else None


def labels(words, count):
    """Return int [count]: for each frame the label of the window that ends with it, or -1.

    words: the words of a Stream.
    """
    found = np.full(count, -1)
    for i in range(FRAMES - 1, count):
        end = i * _HOP + _FRAME
        before = [word for word in words if word[1] < end]
        label = _label(before[-1] if before else None, end - _HOP * (FRAMES - 1) - _FRAME, end)
        found[i] = -1 if label is None else label
        if len(before) > 4:
            words = words[len(before) - 4 :]
    return found


def cut(stream, random, shares=(0.06, 0.12, 0.5, 0.5, 0.5)):
    """Return (x int8 [n, 49, 1, 40], y) of a Stream; `shares` are the used shares per label."""
    rows = features(stream.samples)
    y = labels(list(stream.words), len(rows))
    chosen = np.flatnonzero((y >= 0) & (random.uniform(size=len(y)) < np.array(shares)[y]))
    x = np.stack([rows[i - FRAMES + 1 : i + 1] for i in chosen])
    return x[:, :, None, :], y[chosen]
