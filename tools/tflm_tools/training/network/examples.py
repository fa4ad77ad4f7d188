# tflm_tools: training: draws training examples, sections of recordings with labels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .shape import CHANNELS, FIRST, STRIDE

_MAX_FEATURE = 26.0  # of the network's input
_STEP = 0.0390625  # unit of the features in the files
_BATCH = 48
_OUTPUTS = 64  # inferences with a label in an example
_CALIBRATION_INFERENCES = 1500

# Hops after the end of a phrase. An inference in the first range should detect the phrase. One in
# the second range only has no label.
_DETECT_HOPS = (-2, 36)
_UNLABELED_HOPS = (-25, 60)
# Shares of examples with the phrase and with similar phrases, which cause most false alarms.
_SHARES = (0.4, 0.3)
_PHRASE, _NEAR = 1, 2  # kinds of words in the files
_STRETCH = 0.06  # range of the factor by which speakers' vocal tracts differ in length


# Features [frames, 1, 40] as of a speaker with a shorter or longer vocal tract.
def _stretched(x, random):
    at = np.arange(CHANNELS) * random.uniform(1 - _STRETCH, 1 + _STRETCH)
    at = np.minimum(at, CHANNELS - 1).astype(np.float32)
    below = at.astype(int)
    above = np.minimum(below + 1, CHANNELS - 1)
    return x[..., below] + (at - below) * (x[..., above] - x[..., below])


class Examples:
    """Examples drawn from recordings at random; a training step's number is the random seed.

    paths: files of recordings. receptive_field: number of inferences that the network covers.
    frames: features of an example.
    """

    def __init__(self, paths, receptive_field):
        self._sounds, self._ends = [], {_PHRASE: [], _NEAR: []}
        for number, path in enumerate(paths):
            with np.load(path) as file:
                self._sounds.append(file["features"])
                words = file["words"]
            # A frame has 30 ms, so the end of a word is in the feature that begins 20 ms before.
            for kind, kind_ends in self._ends.items():
                ends = words[words[:, 0] == kind][:, 2] // 160 - 2
                kind_ends += [(number, int(end)) for end in ends]
        self._by_sound = [
            np.array([end for n, end in self._ends[_PHRASE] if n == i]) for i in range(len(paths))
        ]
        self.frames = STRIDE * (receptive_field + _OUTPUTS - 1) + FIRST - STRIDE
        self._before = STRIDE * (receptive_field - 1) + FIRST - 1

    # The recording's number and the first feature of a random example.
    def _section(self, random):
        draw = random.uniform()
        ends = self._ends[_PHRASE if draw < _SHARES[0] else _NEAR]
        if draw < sum(_SHARES) and ends:
            number, end = ends[random.randint(len(ends))]
            at = end - self._before - random.randint(STRIDE * _OUTPUTS)
        else:
            number = random.randint(len(self._sounds))
            at = random.randint(max(1, len(self._sounds[number]) - self.frames))
        return number, max(0, min(at, len(self._sounds[number]) - self.frames))

    # Labels of the inferences (1 if they should detect the phrase), and 0 for those without label.
    def _labels(self, number, at):
        hops = at + self._before + STRIDE * np.arange(_OUTPUTS)
        y, counts = np.zeros(_OUTPUTS, np.float32), np.ones(_OUTPUTS, np.float32)
        for end in self._by_sound[number]:
            since = hops - end
            y[(since >= _DETECT_HOPS[0]) & (since <= _DETECT_HOPS[1])] = 1
            counts[(since >= _UNLABELED_HOPS[0]) & (since <= _UNLABELED_HOPS[1])] = 0
        return y, np.maximum(counts, y)

    def section(self, number, at, frames):
        """Return features of a recording for the network's input, float32 [frames, 1, 40]."""
        x = self._sounds[number][at : at + frames].astype(np.float32) * _STEP
        return np.minimum(x, _MAX_FEATURE)[:, None, :]

    def batch(self, seed, step):
        """Return (x, labels, 1 or 0 for inferences with or without label) of a training step."""
        random = np.random.RandomState((seed * 1_000_003 + step) % (1 << 32))
        rows = []
        for _ in range(_BATCH):
            number, at = self._section(random)
            x = _stretched(self.section(number, at, self.frames), random)
            if random.uniform() < 0.4:  # some frequency bands are missing
                band = random.randint(CHANNELS)
                x[:, :, band : band + random.randint(1, 6)] = 0
            rows.append((x, *self._labels(number, at)))
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def calibration(self, seed):
        """Yield consecutive inputs [1, 3, 40] for calibration; the first one has the extremes."""
        random = np.random.RandomState(seed)
        count = 0
        while count < _CALIBRATION_INFERENCES:
            number, at = self._section(random)
            x = self.section(number, at, self.frames)[:, 0]
            for begin in range(0, len(x) - STRIDE + 1, STRIDE):
                row = x[None, begin : begin + STRIDE].copy()
                if count == 0:
                    row[0, 0, :2] = 0, _MAX_FEATURE
                yield [row]
                count += 1
