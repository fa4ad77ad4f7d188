# tflm_tools: training: what a model hears in pieces of sound: recall, false alarms, the cutoff
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

from ..port.invocation import invoke
from .pieces import NEAR, PHRASE
from .voices import RATE

STRIDE = 3
WINDOW = 10  # probabilities whose mean counts
CUTOFFS = tuple(round(0.5 + 0.01 * i, 2) for i in range(50))
MOST_ALARMS = 1.0  # an hour
_REST = 100  # hops after a phrase was heard, those of tflm.wake
_HOP, _FRAME = 160, 480  # samples
_EARLY, _LATE = int(0.3 * RATE), int(0.8 * RATE)  # from the end of a phrase: it was heard there
_LARGEST = 255  # of a probability
_LIMITS = (-128, 127)


@dataclass
class Point:
    """What a cutoff means: shares of phrases heard, and of near ones taken for them; false alarms
    an hour of other speech.
    """

    cutoff: float
    recall: float
    near: float
    alarms_per_hour: float


def window_sums(model, features, scale, zero_point):
    """int [runs]: the sum of the last WINDOW probabilities (0..255) after each inference, of a
    model (bytes of a .tflm) over int16 features; 0 while there are less. Runs in MicroPython.
    """
    x = np.round(features * (0.0390625 / scale)) + zero_point
    count = len(x) // STRIDE
    data = np.clip(x[: count * STRIDE], *_LIMITS).astype(np.int8).tobytes()
    _, outputs, _ = invoke(model, data, runs=count)
    sums = np.convolve(np.frombuffer(outputs, np.uint8).astype(int), np.ones(WINDOW, int))[:count]
    sums[: WINDOW - 1] = 0
    return sums


def detections(sums, cutoff):
    """The samples at which tflm.wake hears the phrase."""
    found, quiet_until = [], -1
    for run in np.flatnonzero(sums > int(cutoff * WINDOW * (_LARGEST + 1) + 1e-3)):
        hop = STRIDE * int(run) + STRIDE - 1
        if hop >= quiet_until:
            found.append(hop * _HOP + _FRAME)
            quiet_until = hop + _REST
    return found


class Heard:
    """What a model hears in Pieces, at any cutoff."""

    def __init__(self, model, scale, zero_point, pieces, progress=lambda: None):
        """model: bytes of a .tflm, with scale and zero point of its input. pieces: an iterable of
        Piece. progress: called after each.
        """
        self._pieces = []
        self.hours = 0.0
        for piece in pieces:
            sums = window_sums(model, piece.features, scale, zero_point)
            self._pieces.append((sums, piece.words))
            self.hours += (len(piece.features) * _HOP + _FRAME - _HOP) / RATE / 3600
            progress()

    def counts(self, cutoff):
        """(phrases said, heard, near ones said, taken for it, detections with no phrase)."""
        said, heard, alarms = {PHRASE: 0, NEAR: 0}, {PHRASE: 0, NEAR: 0}, 0
        for sums, words in self._pieces:
            left = detections(sums, cutoff)
            for what, _, end in words:
                if what in said:
                    said[what] += 1
                    hits = [at for at in left if end - _EARLY < at < end + _LATE]
                    if hits:
                        heard[what] += 1
                        if what == PHRASE:
                            left.remove(hits[0])
            alarms += len(left)
        return said[PHRASE], heard[PHRASE], said[NEAR], heard[NEAR], alarms


def curve(said, others):
    """A Point for each of CUTOFFS, of Heard with the phrase and of Heard without it."""
    points = []
    for cutoff in CUTOFFS:
        phrases, heard, near, taken, _ = said.counts(cutoff)
        alarms = others.counts(cutoff)[4]
        points.append(
            Point(cutoff, heard / max(phrases, 1), taken / max(near, 1), alarms / others.hours)
        )
    return points


def choose(points):
    """The Point of least cutoff with MOST_ALARMS an hour or less; the last one where none has."""
    good = [point for point in points if point.alarms_per_hour <= MOST_ALARMS]
    return good[0] if good else points[-1]
