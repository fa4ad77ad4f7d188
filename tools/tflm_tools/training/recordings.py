# tflm_tools: training: makes recordings with the phrase and other speech, as features
# MIT license; Copyright (c) 2026 the tflm authors

import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from ..errors import ToolError
from ..extras import installing
from . import phrases, streams, voices

CHANNELS = 40
HOP_BYTES = 320  # 10 ms
OTHER, PHRASE, NEAR = range(3)  # kinds of utterances; NEAR: it sounds similar to the phrase
_STEP = 0.0390625  # unit of the features of microWakeWord's front end
_CLIPS = 100  # utterances in a recording

# Shares of the kinds PHRASE and NEAR among the utterances of a set.
_SHARES = {"train": (0.35, 0.3), "said": (0.6, 0.4), "others": (0.0, 0.05)}


class Recording(NamedTuple):
    """A recording. features: int16 [frames, 40], a frame every 10 ms, in units of 0.0390625.

    words: int32 [n, 3]: kind of the utterance (OTHER, PHRASE, NEAR), its first sample, its end.
    """

    features: np.ndarray
    words: np.ndarray


class Kind(NamedTuple):
    """How the recordings of a set are made.

    speakers: the voices. shares: of PHRASE and NEAR. count: number of recordings before mixing.
    mixes: how often each is mixed, with other noise and pauses. near_texts: number of texts that
    sound similar to the phrase.
    """

    speakers: list
    shares: tuple
    count: int
    mixes: int = 1
    near_texts: int = 150


def kinds(minutes):
    """Return {set name: Kind} for a training of `minutes`.

    The sets for validation and test have at most two hours of other speech.
    """
    others, said = min(34, round(1.7 * minutes) or 1), min(6, round(0.3 * minutes) or 1)
    count = round(1.6 * minutes) + 1
    sets = {"train": Kind(voices.TRAIN_SPEAKERS, _SHARES["train"], count, 2, 800)}
    for name, speakers in (
        ("validation", voices.VALIDATION_SPEAKERS),
        ("test", voices.TEST_SPEAKERS),
    ):
        sets[f"{name}_said"] = Kind(speakers, _SHARES["said"], said)
        sets[f"{name}_others"] = Kind(speakers, _SHARES["others"], others)
    return sets


def check_front_end():
    """Raise ToolError if the package with the audio front end is not installed."""
    try:
        import pymicro_features  # noqa: F401
    except ImportError:
        raise ToolError(
            "the package pymicro-features, which computes features of sound, is missing; install "
            f"it with: {installing('wake-train')}"
        ) from None


def features(samples):
    """Return the features, int16 [frames, 40], of int16 samples, by microWakeWord's front end."""
    from pymicro_features import MicroFrontend

    front_end, data = MicroFrontend(), samples.astype("<i2").tobytes()
    rows = [
        front_end.process_samples(data[at : at + HOP_BYTES]).features
        for at in range(0, len(data) - HOP_BYTES + 1, HOP_BYTES)
    ]
    return np.round(np.array([row for row in rows if row]) / _STEP).astype(np.int16)


# The kind of an utterance, OTHER, PHRASE or NEAR, and its text, both at random.
def _text(phrase, near, shares, random):
    draw = random.uniform()
    if draw < shares[0]:
        joint = ", " if random.uniform() < 0.1 else " "
        return PHRASE, joint.join(phrase.split())
    if near and draw < shares[0] + shares[1]:
        return NEAR, near[random.randint(len(near))]
    return OTHER, phrases.other(phrase, random)


def in_parallel(make, jobs, progress):
    """Call make(*job) for each of `jobs` on all cores. progress: a function (done, total)."""
    with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
        tasks = [pool.submit(make, *job) for job in jobs]
        try:
            for done, task in enumerate(tasks, 1):
                task.result()
                progress(done, len(jobs))
        finally:
            pool.shutdown(cancel_futures=True)


def say(text, speakers, random):
    """Return a text said with a random accent, speaker, speed and pitch; see voices.say()."""
    accent, speaker = random.choice(voices.ACCENTS), random.choice(speakers)
    return voices.say(text, accent, speaker, random.randint(110, 210), random.randint(20, 85))


# The utterances of a recording: [(OTHER, PHRASE or NEAR, samples)].
def _clips(phrase, near, kind, random):
    clips = []
    for _ in range(_CLIPS):
        utterance, text = _text(phrase, near, kind.shares, random)
        text += random.choice(["", ".", "!", "?"])
        clips.append((utterance, say(text, kind.speakers, random)))
    return clips


class Recordings:
    """All recordings for a phrase, as files of a folder; existing files are not made again.

    Their contents depend only on the phrase, `minutes` and `seed`.
    """

    def __init__(self, folder, phrase, minutes, seed):
        self._folder = folder
        self._phrase = phrase
        self._seed = seed
        self._kinds = kinds(minutes)

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
                yield Recording(file["features"], file["words"])

    def make(self, progress):
        """Make the missing recordings. progress: a function (done, total)."""
        jobs = [(name, i) for name, kind in self._kinds.items() for i in range(kind.count)]
        near = {}
        for number, (name, kind) in enumerate(self._kinds.items()):
            random = np.random.RandomState(self._seed + number)
            near[name] = phrases.near(self._phrase, kind.near_texts, random)
        in_parallel(self._make, [(name, i, near[name]) for name, i in jobs], progress)

    def _make(self, name, number, near):
        kind = self._kinds[name]
        paths = [self._folder / f"{name}_{number}_{mix}.npz" for mix in range(kind.mixes)]
        if all(path.exists() for path in paths):
            return
        first = 10_000 * (list(self._kinds).index(name) + 1) + 10 * number
        seed = (self._seed * 1_000_003 + first) % (1 << 32)
        clips = _clips(self._phrase, near, kind, np.random.RandomState(seed))
        for mix, path in enumerate(paths, 1):
            stream = streams.mix(clips, (seed + mix) % (1 << 32))
            partial = path.with_suffix(".part")
            with open(partial, "wb") as file:
                np.savez(file, features=features(stream.samples), words=stream.words)
            partial.replace(path)
