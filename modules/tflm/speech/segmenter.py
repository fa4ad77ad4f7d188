# tflm.speech: Segmenter: where speech begins and ends, from probabilities of speech.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from ..errors import check, check_count

START, END = "start", "end"


class Segmenter:
    """Find segments of speech: the mean of the last probabilities is above a threshold.

    hop: samples from one probability to the next. threshold: 0 to 1. smooth_frames: number of
    probabilities of a mean. look_back: samples before the moment of detection that belong to the
    segment. max_samples: longer segments are split: from two thirds of this length on the mean is
    multiplied by a factor that falls from 1 to 0.

    start, end: the samples of the current or last segment, from the begin of the sound on. mean:
    the last mean. is_speech: a segment has begun and not ended. Raises InputError for invalid
    arguments.
    """

    def __init__(self, hop=512, threshold=0.5, smooth_frames=16, look_back=8192,
                 max_samples=240000):  # fmt: skip
        check_count("hop", hop)
        check_count("smooth_frames", smooth_frames)
        check_count("look_back", look_back, 0)
        check_count("max_samples", max_samples, hop)
        is_number = isinstance(threshold, (int, float)) and 0 <= threshold <= 1
        check("threshold", threshold, is_number, "a number from 0 to 1")
        self.hop = hop
        self.threshold = threshold
        self.look_back = look_back
        self.max_samples = max_samples
        self._last = array("f", bytes(4 * smooth_frames))
        self.reset()

    def reset(self):
        """Forget the sound so far."""
        for i in range(len(self._last)):
            self._last[i] = 0.0
        self._next = 0
        self.samples = 0  # of all probabilities
        self.start = self.end = 0
        self.mean = 0.0
        self.is_speech = False

    def add(self, probability):
        """Add the probability of the next hop; return START, END or None."""
        self.samples += self.hop
        self._last[self._next] = probability
        self._next = (self._next + 1) % len(self._last)
        self.mean = sum(self._last) / len(self._last)
        has_voice = self.mean * self._fading() > self.threshold
        if has_voice and not self.is_speech:
            self.is_speech = True
            self.start = max(self.samples - self.look_back, 0)
            self.end = self.samples
            return START
        if self.is_speech:
            self.end = self.samples
            if not has_voice:
                self.is_speech = False
                return END
        return None

    # The factor of a long segment.
    def _fading(self):
        first = 2 * self.max_samples // 3
        length = self.samples - self.start
        if not self.is_speech or length <= first:
            return 1.0
        return max(1 - (length - first) / (self.max_samples - first), 0.0)

    def finish(self):
        """End the current segment at the end of the sound; return END or None."""
        if not self.is_speech:
            return None
        self.is_speech = False
        return END
