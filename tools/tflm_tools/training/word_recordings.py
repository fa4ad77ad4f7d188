# tflm_tools: training: makes recordings of single words and other speech, as log-mel features
# MIT license; Copyright (c) 2026 the tflm authors

import re
from typing import NamedTuple

import numpy as np

from ..errors import ToolError
from ..features.log_mel import LogMelSettings, columns
from . import phrases, streams, voices
from .recordings import in_parallel, say

OTHER = 0  # the label of other speech; the words have the labels from 1 on
MAX_WORDS = 64
_MAX_LETTERS = 20
_CLIPS = 100  # utterances in a recording
_SHARE = 0.7  # of the utterances that are words
_FULL = 32767

# Features of both networks. A recognizer reads 1.04 s, a voice detector 0.51 s.
WORDS = LogMelSettings(hop_length=256, n_mels=40, frames=64)
VOICE = LogMelSettings(hop_length=512, n_mels=32, frames=16)


class Kind(NamedTuple):
    """How the recordings of a set are made: the voices, their number, how often each is mixed."""

    speakers: list
    count: int
    mixes: int


class Recording(NamedTuple):
    """A recording of a set.

    words, voice: features for a recognizer and for a voice detector, float16 [columns, n_mels].
    utterances: int32 [n, 4]: label (OTHER or the number of a word from 1 on), first sample, end,
    and center of energy.
    """

    words: np.ndarray
    voice: np.ndarray
    utterances: np.ndarray


def checked(words):
    """Return the words in lower case. Raises ToolError if they cannot be trained."""
    words = [word.lower() for word in words]
    for word in words:
        if not re.fullmatch(r"[^\W\d_]+(?:['-][^\W\d_]+)*", word) or len(word) > _MAX_LETTERS:
            raise ToolError(f"{word!r} is not a word; write words of letters, like: yes no stop")
    for word in words:
        if words.count(word) > 1:
            raise ToolError(f"{word!r} is named twice; name each word once")
    if not 2 <= len(words) <= MAX_WORDS:
        raise ToolError(f"{len(words)} words cannot be trained; name 2 to {MAX_WORDS} words")
    sounds = voices.phonemes(words)
    for i, sound in enumerate(sounds):
        if sound in sounds[:i]:
            raise ToolError(
                f"{words[i]!r} sounds like {words[sounds.index(sound)]!r}; omit one of them"
            )
    return words


def kinds(minutes):
    """Return {set name: Kind} for a training of `minutes`."""
    return {
        "train": Kind(voices.TRAIN_SPEAKERS, round(2 * minutes) + 2, 2),
        "validation": Kind(voices.VALIDATION_SPEAKERS, max(1, round(0.3 * minutes)), 1),
        "test": Kind(voices.TEST_SPEAKERS, max(1, round(0.4 * minutes)), 1),
    }


def other_words(words):
    """Return the everyday words that do not sound like one of `words`, nor begin or end so."""
    others = [word for word in phrases.WORDS if word not in words]
    sounds = voices.phonemes([*words, *others])
    own = tuple(sounds[: len(words)])
    return [
        other
        for other, sound in zip(others, sounds[len(words) :], strict=True)
        if not sound.startswith(own) and not sound.endswith(own)
    ]


# The utterances of a recording: [(label, samples)]; half of the other speech is single words.
def _clips(words, others, speakers, random):
    clips = []
    for _ in range(_CLIPS):
        label, count = OTHER, 1
        if random.uniform() < _SHARE:
            label = 1 + random.randint(len(words))
            text = words[label - 1]
        else:
            if random.uniform() < 0.5:
                count = random.randint(2, 7)
            text = " ".join(others[random.randint(len(others))] for _ in range(count))
        clips.append((label, say(text + random.choice(["", ".", "!", "?"]), speakers, random)))
    return clips


# Add music to one third of the recordings, 8 to 30 dB below the recording.
def _with_music(samples, random):
    draw = random.uniform()
    if draw > 0.33:
        return samples
    sound = streams.music(len(samples), random)
    level = np.sqrt(np.mean(samples.astype(float) ** 2)) * 10 ** (random.uniform(-30, -8) / 20)
    return np.clip(np.round(samples + level * sound), -_FULL - 1, _FULL).astype(np.int16)


def center_of_energy(samples):
    """Return the index of the center of energy of samples."""
    energies = samples.astype(float) ** 2
    return int(np.sum(np.arange(len(samples)) * energies) / (np.sum(energies) + 1e-9))


class WordRecordings:
    """All recordings for some words, as files of a folder; existing files are not made again.

    Their contents depend only on the words, `minutes` and `seed`.
    """

    def __init__(self, folder, words, minutes, seed):
        self._folder = folder
        self._words = words
        self._seed = seed
        self._kinds = kinds(minutes)
        self._others = other_words(words)

    def paths(self, name):
        """Return the paths of the recordings of a set."""
        kind = self._kinds[name]
        return [
            self._folder / f"{name}_{i}_{mix}.npz"
            for i in range(kind.count)
            for mix in range(kind.mixes)
        ]

    def read(self, name):
        """Yield each Recording of a set."""
        for path in self.paths(name):
            with np.load(path) as file:
                yield Recording(file["words"], file["voice"], file["utterances"])

    def make(self, progress):
        """Make the missing recordings. progress: a function (done, total)."""
        jobs = [(name, i) for name, kind in self._kinds.items() for i in range(kind.count)]
        in_parallel(self._make, jobs, progress)

    def streams(self, name, number):
        """Yield the Streams of a recording, one for each mix."""
        kind = self._kinds[name]
        first = 10_000 * (list(self._kinds).index(name) + 1) + 10 * number
        seed = (self._seed * 1_000_003 + first) % (1 << 32)
        random = np.random.RandomState(seed)
        clips = _clips(self._words, self._others, kind.speakers, random)
        for mix in range(kind.mixes):
            random = np.random.RandomState((seed + 5 + mix) % (1 << 32))
            stream = streams.mix(clips, (seed + 1 + mix) % (1 << 32))
            yield streams.Stream(_with_music(stream.samples, random), stream.words)

    def _make(self, name, number):
        kind = self._kinds[name]
        paths = [self._folder / f"{name}_{number}_{mix}.npz" for mix in range(kind.mixes)]
        if all(path.exists() for path in paths):
            return
        for stream, path in zip(self.streams(name, number), paths, strict=True):
            samples = stream.samples
            utterances = [
                (label, first, end, first + center_of_energy(samples[first:end]))
                for label, first, end in stream.words
            ]
            partial = path.with_suffix(".part")
            with open(partial, "wb") as file:
                np.savez(
                    file,
                    words=columns(samples, WORDS).astype(np.float16),
                    voice=columns(samples, VOICE).astype(np.float16),
                    utterances=np.array(utterances, np.int32),
                )
            partial.replace(path)
