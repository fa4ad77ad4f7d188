# tflm_tools: random and extreme inputs for a model
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

_LARGE = 1e4  # far outside of what activations are made for, far inside float32
_INDICES = 10  # int32 and int64 inputs are mostly indices: small ones


@dataclass
class Case:
    """Input arrays of one invoke, with a name that says what they are."""

    name: str
    inputs: list[np.ndarray]


# Random values of a tensor's type.
def _random(info, random):
    dtype = info.numpy_dtype()
    if dtype.kind == "f":
        return random.standard_normal(info.shape).astype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, info.shape).astype(dtype)
    if dtype.itemsize >= 4:
        return random.integers(0, _INDICES, info.shape).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max + 1, info.shape).astype(dtype)


# One value for all elements.
def _filled(info, value):
    return np.full(info.shape, value, info.numpy_dtype())


# The lowest value, of floats a large one.
def _lowest(info, _random):
    dtype = info.numpy_dtype()
    if dtype.kind == "f":
        return _filled(info, -_LARGE)
    return _filled(info, np.iinfo(dtype).min if dtype.itemsize < 4 and dtype.kind != "b" else 0)


# The highest value, of floats a large one.
def _highest(info, _random):
    dtype = info.numpy_dtype()
    if dtype.kind == "f":
        return _filled(info, _LARGE)
    return _filled(info, np.iinfo(dtype).max if dtype.itemsize < 4 and dtype.kind != "b" else 1)


# The value that stands for 0.
def _zero(info, _random):
    return _filled(info, info.zero_point if info.numpy_dtype().kind in "iu" else 0)


# Lowest and highest at random.
def _mixed(info, random):
    return np.where(
        random.integers(0, 2, info.shape) == 1, _highest(info, random), _lowest(info, random)
    )


_EXTREMES = (
    ("all lowest", _lowest),
    ("all highest", _highest),
    ("all zero", _zero),
    ("lowest and highest", _mixed),
)


def make_cases(inputs, runs, seed):
    """`runs` random cases and four extreme ones for a list of TensorInfo; the seed decides all."""
    random = np.random.default_rng(seed)
    kinds = [(f"random {i}", _random) for i in range(runs)] + list(_EXTREMES)
    return [Case(name, [make(info, random) for info in inputs]) for name, make in kinds]
