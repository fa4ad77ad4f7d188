# tflm_tools: training: pieces of sound, some minutes each: what is said in them, as features
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
OTHER, PHRASE, NEAR = range(3)  # what an utterance is
_STEP = 0.0390625  # what microWakeWord's front end takes for 1
_CLIPS = 100  # of a piece

# Shares of the phrase, and of what sounds near it, among utterances.
_SHARES = {"train": (0.35, 0.3), "said": (0.6, 0.4), "others": (0.0, 0.05)}


class Piece(NamedTuple):
    """features: int16 [frames, 40], one each 10 ms, steps of 0.0390625. words: int32 [n, 3]:
    what it is (OTHER, PHRASE, NEAR), first sample, end.
    """

    features: np.ndarray
    words: np.ndarray


class Kind(NamedTuple):
    """How pieces of a set are made: whose voices, how many pieces, times each is mixed anew, how
    many texts there are that sound near the phrase.
    """

    speakers: list
    shares: tuple
    count: int
    mixes: int = 1
    near_texts: int = 150


def kinds(minutes):
    """{name: Kind} of what `minutes` of work are worth; test and validation never get more than
    two hours of other speech need.
    """
    others, said = min(34, round(1.7 * minutes) or 1), min(6, round(0.3 * minutes) or 1)
    count = round(1.6 * minutes) + 1
    found = {"train": Kind(voices.TRAIN_SPEAKERS, _SHARES["train"], count, 2, 800)}
    for name, speakers in (
        ("validation", voices.VALIDATION_SPEAKERS),
        ("test", voices.TEST_SPEAKERS),
    ):
        found[f"{name}_said"] = Kind(speakers, _SHARES["said"], said)
        found[f"{name}_others"] = Kind(speakers, _SHARES["others"], others)
    return found


def check_front_end():
    """Raise ToolError where the front end's package is not installed."""
    try:
        import pymicro_features  # noqa: F401
    except ImportError:
        raise ToolError(
            "pymicro-features, which makes the features of sound, is not installed; install it "
            f"with: {installing('wake-train')}"
        ) from None


def features(samples):
    """int16 [frames, 40] of int16 samples, by microWakeWord's front end."""
    from pymicro_features import MicroFrontend

    front_end, data = MicroFrontend(), samples.astype("<i2").tobytes()
    rows = [
        front_end.process_samples(data[at : at + HOP_BYTES]).features
        for at in range(0, len(data) - HOP_BYTES + 1, HOP_BYTES)
    ]
    return np.round(np.array([row for row in rows if row]) / _STEP).astype(np.int16)


# What is said of a kind: OTHER, PHRASE or NEAR, and the text.
def _text(phrase, near, shares, random):
    draw = random.uniform()
    if draw < shares[0]:
        joint = ", " if random.uniform() < 0.1 else " "
        return PHRASE, joint.join(phrase.split())
    if near and draw < shares[0] + shares[1]:
        return NEAR, near[random.randint(len(near))]
    return OTHER, phrases.other(phrase, random)


# Clips of a piece: [(what, samples)].
def _clips(phrase, near, kind, random):
    found = []
    for _ in range(_CLIPS):
        what, text = _text(phrase, near, kind.shares, random)
        text += random.choice(["", ".", "!", "?"])
        accent, speaker = random.choice(voices.ACCENTS), random.choice(kind.speakers)
        speed, pitch = random.randint(110, 210), random.randint(20, 85)
        found.append((what, voices.say(text, accent, speaker, speed, pitch)))
    return found


class Pieces:
    """The pieces of a phrase, as files of a folder; those that are there are not made again.

    All that is in them follows from the phrase, `minutes` and `seed`.
    """

    def __init__(self, folder, phrase, minutes, seed):
        self._folder = folder
        self._phrase = phrase
        self._seed = seed
        self._kinds = kinds(minutes)

    def paths(self, name):
        """Where the pieces of a kind lie."""
        kind = self._kinds[name]
        return [
            self._folder / f"{name}_{i}_{mix}.npz"
            for i in range(kind.count)
            for mix in range(kind.mixes)
        ]

    def read(self, name):
        """The Pieces of a kind, one by one."""
        for path in self.paths(name):
            with np.load(path) as file:
                yield Piece(file["features"], file["words"])

    def make(self, progress):
        """Make what is missing. progress: a function (done, total)."""
        jobs = [(name, i) for name, kind in self._kinds.items() for i in range(kind.count)]
        near = {}
        for number, (name, kind) in enumerate(self._kinds.items()):
            random = np.random.RandomState(self._seed + number)
            near[name] = phrases.near(self._phrase, kind.near_texts, random)
        with ThreadPoolExecutor(min(len(jobs), os.cpu_count() or 1)) as pool:
            made = [pool.submit(self._make, name, i, near[name]) for name, i in jobs]
            try:
                for done, each in enumerate(made, 1):
                    each.result()
                    progress(done, len(jobs))
            finally:
                pool.shutdown(cancel_futures=True)

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
            part = path.with_suffix(".part")
            with open(part, "wb") as file:
                np.savez(file, features=features(stream.samples), words=stream.words)
            part.replace(path)
