# Test support: input values for tests, seeded from the name of the case
# MIT license; Copyright (c) 2026 the tflm authors

from collections.abc import Mapping, Sequence
from zlib import crc32

import numpy as np

from .model_info import TensorInfo

_LARGE = 1.0e6  # what "extreme" means for floats
_PATTERNS = ("lowest", "highest", "middle", "alternating")

Ranges = Mapping[int, tuple[float, float]]


# A generator that gives the same values in every run and process.
def generator(name: str) -> np.random.Generator:
    """Return a numpy Generator seeded from a name."""
    return np.random.default_rng(crc32(name.encode()))


# Random values over the whole range of each type; floats are normal with deviation 2.
def random_inputs(
    infos: Sequence[TensorInfo], random: np.random.Generator, ranges: Ranges
) -> list[np.ndarray]:
    """Return one list of inputs; `ranges` narrows input i to low..high, both included."""
    return [
        np.asarray(_random(info, random, ranges.get(i)), info.dtype)
        for i, info in enumerate(infos)
    ]


# The patterns that find overflows: lowest, highest, zero point, alternating.
def extreme_inputs(infos: Sequence[TensorInfo], ranges: Ranges) -> list[list[np.ndarray]]:
    """Return a list of inputs for each pattern, and two where odd inputs get the opposite."""
    lists = [
        [_pattern(info, pattern, ranges.get(i)) for i, info in enumerate(infos)]
        for pattern in _PATTERNS
    ]
    if len(infos) > 1:
        for order in (("lowest", "highest"), ("highest", "lowest")):
            lists.append(
                [_pattern(info, order[i % 2], ranges.get(i)) for i, info in enumerate(infos)]
            )
    return lists


def _random(info, random, limits):
    if info.dtype.kind == "b":
        return random.integers(0, 2, info.shape)
    if info.dtype.kind == "c":
        return random.normal(0.0, 2.0, (*info.shape, 2)) @ [1, 1j]
    if info.dtype.kind == "f":
        if limits:
            return random.uniform(*limits, info.shape)
        return random.normal(0.0, 2.0, info.shape)
    low, high = limits or _limits(info)
    return random.integers(low, high, info.shape, info.dtype, endpoint=True)


def _pattern(info, pattern, limits):
    low, high = limits or _limits(info)
    if pattern == "alternating":
        values = np.full(info.shape, low, info.dtype)
        values.reshape(-1)[1::2] = high
        return values
    middle = info.zero_point if info.quantized else 0
    value = {"lowest": low, "highest": high, "middle": min(max(middle, low), high)}[pattern]
    return np.full(info.shape, value, info.dtype)


def _limits(info):
    if info.dtype.kind == "b":
        return False, True
    if info.dtype.kind == "f":
        return -_LARGE, _LARGE
    limits = np.iinfo(info.dtype)
    return int(limits.min), int(limits.max)
