# App keywords: detects words in a model's noisy scores by mean, threshold and a pause
# MIT license; Copyright (c) 2026 the tflm authors

_FIRST_WORD = 2  # labels 0 and 1 are silence and unknown

# Chosen with the validation set (models/keywords/README.md). A lower threshold detects more words,
# and has more false alarms.
RUNS = 3
THRESHOLD = 200
PAUSE = 9


class Recognizer:
    """Detects words in the scores of a model whose window contains each word in several runs.

    labels: number of labels. runs: number of runs whose scores are averaged. threshold: least
    mean score of a word, 0..255. pause: number of runs without detection after a word.
    """

    def __init__(self, labels, runs=RUNS, threshold=THRESHOLD, pause=PAUSE):
        self.labels = labels
        self.runs = runs
        self.threshold = threshold
        self.pause = pause
        self._last = bytearray(labels * runs)
        self.reset()

    def reset(self):
        """Clear all scores."""
        for i in range(len(self._last)):
            self._last[i] = 0
        self._run = 0
        self._wait = 0
        self.score = 0

    def recognize(self, scores):
        """Add the scores of a run, int8 as bytes; return the index of a detected word, or -1.

        `score` is then its mean score, 0..255.
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
