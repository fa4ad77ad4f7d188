# tflm_tools: training: measures recall and false alarms of a model and chooses its cutoff
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

from ..port.invocation import invoke
from .recordings import NEAR, PHRASE
from .voices import RATE

STRIDE = 3
WINDOW = 10  # number of probabilities whose mean is compared with the cutoff
CUTOFFS = tuple(round(0.5 + 0.01 * i, 2) for i in range(50))
MAX_ALARMS_PER_HOUR = 1.0
_QUIET_HOPS = 100  # without another detection after one, as in tflm.wake
_HOP, _FRAME = 160, 480  # samples
# A detection of a phrase may be this number of samples before or after the end of the phrase.
_EARLY, _LATE = int(0.3 * RATE), int(0.8 * RATE)
_MAX_PROBABILITY = 255
_INT8_RANGE = (-128, 127)


@dataclass
class Point:
    """The scores of a model at a cutoff.

    recall: share of phrases that are detected. near: share of similar phrases that are detected.
    alarms_per_hour: false alarms per hour of other speech.
    """

    cutoff: float
    recall: float
    near: float
    alarms_per_hour: float


def window_sums(model, features, scale, zero_point):
    """Run a model on features and return the sums of the last WINDOW probabilities, int [runs].

    model: bytes of a .tflm. features: int16, see recordings.features(). scale, zero_point: of the
    model's input. Probabilities are 0..255; the first WINDOW - 1 sums are 0. The model runs in the
    unix port.
    """
    x = np.round(features * (0.0390625 / scale)) + zero_point
    count = len(x) // STRIDE
    data = np.clip(x[: count * STRIDE], *_INT8_RANGE).astype(np.int8).tobytes()
    _, outputs, _ = invoke(model, data, runs=count)
    sums = np.convolve(np.frombuffer(outputs, np.uint8).astype(int), np.ones(WINDOW, int))[:count]
    sums[: WINDOW - 1] = 0
    return sums


def detections(sums, cutoff):
    """Return the sample numbers at which tflm.wake detects the phrase."""
    samples, quiet_until = [], -1
    for run in np.flatnonzero(sums > int(cutoff * WINDOW * (_MAX_PROBABILITY + 1) + 1e-3)):
        hop = STRIDE * int(run) + STRIDE - 1
        if hop >= quiet_until:
            samples.append(hop * _HOP + _FRAME)
            quiet_until = hop + _QUIET_HOPS
    return samples


class MeasuredRecordings:
    """The outputs of a model on recordings, from which detections at any cutoff are counted.

    hours: length of the recordings.
    """

    def __init__(self, model, scale, zero_point, recordings, progress=lambda: None):
        """Run a model, bytes of a .tflm whose input has this scale and zero point.

        recordings: an iterable of Recording. progress: called after each recording.
        """
        self._recordings = []
        self.hours = 0.0
        for recording in recordings:
            sums = window_sums(model, recording.features, scale, zero_point)
            self._recordings.append((sums, recording.words))
            self.hours += (len(recording.features) * _HOP + _FRAME - _HOP) / RATE / 3600
            progress()

    def counts(self, cutoff):
        """Return numbers (phrases, phrases detected, near, near detected, other detections).

        near: phrases that sound similar to the wake word.
        """
        spoken, detected, alarms = {PHRASE: 0, NEAR: 0}, {PHRASE: 0, NEAR: 0}, 0
        for sums, words in self._recordings:
            remaining = detections(sums, cutoff)
            for kind, _, end in words:
                if kind in spoken:
                    spoken[kind] += 1
                    hits = [at for at in remaining if end - _EARLY < at < end + _LATE]
                    if hits:
                        detected[kind] += 1
                        if kind == PHRASE:
                            remaining.remove(hits[0])
            alarms += len(remaining)
        return spoken[PHRASE], detected[PHRASE], spoken[NEAR], detected[NEAR], alarms


def curve(with_phrase, others):
    """Return a Point for each of CUTOFFS.

    with_phrase, others: MeasuredRecordings with the phrase, and of other speech.
    """
    points = []
    for cutoff in CUTOFFS:
        phrases, detected, near, near_detected, _ = with_phrase.counts(cutoff)
        alarms = others.counts(cutoff)[4]
        recall, near_share = detected / max(phrases, 1), near_detected / max(near, 1)
        points.append(Point(cutoff, recall, near_share, alarms / others.hours))
    return points


def choose(points):
    """Return the Point with the lowest cutoff that has few enough alarms, else the last Point."""
    good = [point for point in points if point.alarms_per_hour <= MAX_ALARMS_PER_HOUR]
    return good[0] if good else points[-1]
