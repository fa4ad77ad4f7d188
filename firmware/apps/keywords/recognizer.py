# App keywords: from scores that jump to words: mean, threshold, and a pause after each
# MIT license; Copyright (c) 2026 the tflm authors

_FIRST_WORD = 2  # the labels before it are silence and unknown

# From streams of the voices that validate (models/keywords/README.md): a lower threshold finds
# more words, and more that were not there.
RUNS = 3
THRESHOLD = 200
PAUSE = 9


class Recognizer:
    """Finds words in the scores of a model that sees each word several times as it passes by.

    labels: how many there are. runs: scores are means over so many runs. threshold: what the mean
    of a word must reach, of 255. pause: after a word nothing is found for so many runs.
    """

    def __init__(self, labels, runs=RUNS, threshold=THRESHOLD, pause=PAUSE):
        self.labels = labels
        self.runs = runs
        self.threshold = threshold
        self.pause = pause
        self._last = bytearray(labels * runs)
        self.reset()

    def reset(self):
        """Forget all scores."""
        for i in range(len(self._last)):
            self._last[i] = 0
        self._run = 0
        self._wait = 0
        self.score = 0

    def recognize(self, scores):
        """Take in the scores of a run, int8 as bytes; returns the index of a word, or -1.

        `score` is then its mean, 0..255.
        """
        row = self._run % self.runs
        self._run += 1
        best = -1
        self.score = 0
        for label in range(self.labels):
            self._last[row * self.labels + label] = scores[label] ^ 0x80  # -128..127 to 0..255
            mean = self._sum(label) // self.runs
            if mean > self.score:
                best = label
                self.score = mean
        if self._wait:
            self._wait -= 1
            return -1
        if best < _FIRST_WORD or self.score < self.threshold:
            return -1
        self._wait = self.pause
        return best

    def _sum(self, label):
        total = 0
        for row in range(self.runs):
            total += self._last[row * self.labels + label]
        return total
