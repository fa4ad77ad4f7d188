# tflm_tools: training: draws examples of words and of voice from recordings, with labels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np

_BATCH = 128
_HOP = 256  # samples between two columns of a recognizer
_FRAME = 512  # samples of a column
_JITTER = 1600  # samples by which a word may be off the middle of its clip
_WORD_SHARE = 0.6  # of the examples of a recognizer
_STRETCH = 0.08  # range of the factor by which speakers' vocal tracts differ in length
_MIN_DEVIATION = 1e-3
_CALIBRATION = 400

# A voice detector is asked for the voice this number of columns before the newest one.
VOICE_DELAY = 3


def _normalized(x):
    deviation = np.maximum(x.std((1, 2), ddof=1, keepdims=True), _MIN_DEVIATION)
    return ((x - x.mean((1, 2), keepdims=True)) / deviation).astype(np.float32)


# Features [frames, channels] as of a speaker with a shorter or longer vocal tract.
def _stretched(x, random):
    channels = x.shape[1]
    at = np.arange(channels) * random.uniform(1 - _STRETCH, 1 + _STRETCH)
    at = np.minimum(at, channels - 1).astype(np.float32)
    below = at.astype(int)
    above = np.minimum(below + 1, channels - 1)
    return x[:, below] + (at - below) * (x[:, above] - x[:, below])


# Set a few channels and columns to the mean, change the level and the tone.
def _varied(x, random):
    x = _stretched(x.astype(np.float32), random)
    frames, channels = x.shape
    mean = x.mean()
    if random.uniform() < 0.5:
        band = random.randint(channels)
        x[:, band : band + random.randint(1, channels // 6)] = mean
    if random.uniform() < 0.3:
        at = random.randint(frames)
        x[at : at + random.randint(1, frames // 8)] = mean
    if random.uniform() < 0.5:
        x = x + np.linspace(random.uniform(-2, 2), random.uniform(-2, 2), channels)
    return x


class _Clips:
    def __init__(self, paths, name):
        self.sounds, self._utterances = [], []
        for path in paths:
            with np.load(path) as file:
                self.sounds.append(file[name])
                self._utterances.append(file["utterances"])

    def _section(self, number, at):
        sound = self.sounds[number]
        return sound[max(0, min(at, len(sound) - self.frames)) :][: self.frames]

    def batch(self, seed, step):
        """Return (x, labels) of a training step, whose number is the random seed."""
        random = np.random.RandomState((seed * 1_000_003 + step) % (1 << 32))
        pairs = [self._example(random) for _ in range(_BATCH)]
        x = _normalized(np.stack([_varied(x, random) for x, _ in pairs]))
        return x[:, :, None], np.array([label for _, label in pairs], np.int32)

    def calibration(self, seed):
        """Yield inputs for calibration."""
        random = np.random.RandomState(seed)
        for _ in range(_CALIBRATION):
            x = self._example(random)[0].astype(np.float32)[None]
            yield [_normalized(x)[:, :, None]]


class Words(_Clips):
    """Clips of a recognizer, with the word in the middle, and its label."""

    frames, channels = 64, 40

    def __init__(self, paths):
        super().__init__(paths, "words")
        self._words = [
            (number, label, center)
            for number, utterances in enumerate(self._utterances)
            for label, _, _, center in utterances
        ]
        self._labels = np.array([label for _, label, _ in self._words])
        self.classes = int(self._labels.max()) + 1
        self._by_label = [np.flatnonzero(self._labels == i) for i in range(self.classes)]

    # The first column of the clip with a sample in the middle.
    def _first(self, center):
        length = (self.frames - 1) * _HOP + _FRAME
        return (center - length // 2 + _HOP // 2) // _HOP

    def _example(self, random):
        draw = random.uniform()
        if draw > _WORD_SHARE + 0.3:  # any section without a word in its middle
            number = random.randint(len(self.sounds))
            at = random.randint(max(1, len(self.sounds[number]) - self.frames))
            middle = at * _HOP + ((self.frames - 1) * _HOP + _FRAME) // 2
            for label, first, end, _ in self._utterances[number]:
                if label and first - 3 * _JITTER < middle < end + 3 * _JITTER:
                    break
            else:
                return self._section(number, at), 0
        label = random.randint(1, self.classes) if draw < _WORD_SHARE else 0
        indices = self._by_label[label]
        number, label, center = self._words[indices[random.randint(len(indices))]]
        if not label:  # any part of other speech
            center += random.randint(-3 * _JITTER, 3 * _JITTER + 1)
        first = self._first(center + random.randint(-_JITTER, _JITTER))
        return self._section(number, first), label

    def centered(self):
        """Yield (x [n, frames, 1, channels], labels [n]) of all utterances of each recording."""
        for number, utterances in enumerate(self._utterances):
            x = np.stack([self._section(number, self._first(u[3])) for u in utterances])
            yield _normalized(x.astype(np.float32))[:, :, None], utterances[:, 0]


class Voice(_Clips):
    """Windows of a voice detector; the label is 1 if someone speaks before the end."""

    frames, channels, classes = 16, 32, 1

    def __init__(self, paths):
        super().__init__(paths, "voice")
        self.labels = []
        for sound, utterances in zip(self.sounds, self._utterances, strict=True):
            voice = np.zeros(len(sound), np.int32)
            for _, first, end, _ in utterances:
                voice[first // (2 * _HOP) : max(end - 2 * _HOP, first) // (2 * _HOP) + 1] = 1
            self.labels.append(voice)

    def _example(self, random):
        number = random.randint(len(self.sounds))
        voice = self.labels[number]
        wanted = random.randint(2)
        for _ in range(20):
            at = random.randint(max(1, len(voice) - self.frames))
            label = voice[min(at + self.frames, len(voice)) - 1 - VOICE_DELAY]
            if label == wanted:
                break
        return self._section(number, at), label
