# tflm_tools: training: examples: stretches of sound and what is asked of each inference
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

from .shape import CHANNELS, FIRST, STRIDE

_LOUDEST = 26.0  # what the input holds at most
_STEP = 0.0390625  # of the features in the files
_BATCH = 48
_OUTPUTS = 64  # inferences that count in an example
_CALIBRATE = 1500  # inferences that set the ranges

# Hops from the end of the phrase: it counts as just heard from the first to the second one. Near
# to that nothing is asked.
_HEARD = (-2, 36)
_UNCLEAR = (-25, 60)
# Shares of examples with the phrase, and with what sounds near it; false alarms are mostly such.
_SHARES = (0.4, 0.3)
_PHRASE, _NEAR = 1, 2  # of the words in the files
_STRETCH = 0.06  # of the frequencies: so much shorter or longer is another speaker's throat


# Features [frames, 1, 40] as of somebody whose throat is shorter or longer.
def _stretched(x, random):
    at = np.arange(CHANNELS) * random.uniform(1 - _STRETCH, 1 + _STRETCH)
    at = np.minimum(at, CHANNELS - 1).astype(np.float32)
    below = at.astype(int)
    above = np.minimum(below + 1, CHANNELS - 1)
    return x[..., below] + (at - below) * (x[..., above] - x[..., below])


class Examples:
    """Stretches of sound with what is asked of each inference, drawn by a step's number."""

    def __init__(self, paths, heard):
        self._sounds, self._ends = [], {_PHRASE: [], _NEAR: []}
        for number, path in enumerate(paths):
            with np.load(path) as file:
                self._sounds.append(file["features"])
                words = file["words"]
            # A word that ends with a sample is whole in the feature that begins 20 ms before.
            for what, found in self._ends.items():
                ends = words[words[:, 0] == what][:, 2] // 160 - 2
                found += [(number, int(end)) for end in ends]
        self._by_sound = [
            np.array([end for n, end in self._ends[_PHRASE] if n == i]) for i in range(len(paths))
        ]
        self.frames = STRIDE * (heard + _OUTPUTS - 1) + FIRST - STRIDE
        self._before = STRIDE * (heard - 1) + FIRST - 1

    # Sound number and first feature.
    def _place(self, random):
        draw = random.uniform()
        ends = self._ends[_PHRASE if draw < _SHARES[0] else _NEAR]
        if draw < sum(_SHARES) and ends:
            number, end = ends[random.randint(len(ends))]
            at = end - self._before - random.randint(STRIDE * _OUTPUTS)
        else:
            number = random.randint(len(self._sounds))
            at = random.randint(max(1, len(self._sounds[number]) - self.frames))
        return number, max(0, min(at, len(self._sounds[number]) - self.frames))

    # 1 where the phrase was just said, and which inferences count.
    def _labels(self, number, at):
        hops = at + self._before + STRIDE * np.arange(_OUTPUTS)
        y, counts = np.zeros(_OUTPUTS, np.float32), np.ones(_OUTPUTS, np.float32)
        for end in self._by_sound[number]:
            since = hops - end
            y[(since >= _HEARD[0]) & (since <= _HEARD[1])] = 1
            counts[(since >= _UNCLEAR[0]) & (since <= _UNCLEAR[1])] = 0
        return y, np.maximum(counts, y)

    def stretch(self, number, at, frames):
        """float32 [frames, 1, 40]: features as the model takes them."""
        x = self._sounds[number][at : at + frames].astype(np.float32) * _STEP
        return np.minimum(x, _LOUDEST)[:, None, :]

    def batch(self, seed, step):
        """x, y and what counts, the same for the same step."""
        random = np.random.RandomState((seed * 1_000_003 + step) % (1 << 32))
        rows = []
        for _ in range(_BATCH):
            number, at = self._place(random)
            x = _stretched(self.stretch(number, at, self.frames), random)
            if random.uniform() < 0.4:  # bands are missing now and then
                band = random.randint(CHANNELS)
                x[:, :, band : band + random.randint(1, 6)] = 0
            rows.append((x, *self._labels(number, at)))
        return [np.stack(column) for column in zip(*rows, strict=True)]

    def calibration(self, seed):
        """Inferences in a row, [1, 3, 40] each; the first one has the extremes."""
        random = np.random.RandomState(seed)
        count = 0
        while count < _CALIBRATE:
            number, at = self._place(random)
            x = self.stretch(number, at, self.frames)[:, 0]
            for begin in range(0, len(x) - STRIDE + 1, STRIDE):
                row = x[None, begin : begin + STRIDE].copy()
                if count == 0:
                    row[0, 0, :2] = 0, _LOUDEST
                yield [row]
                count += 1
