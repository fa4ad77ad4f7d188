# tflm_tools: cases: generates random and extreme inputs for a model
# MIT license; Copyright (c) 2026 the tflm authors

import math
from dataclasses import dataclass

import numpy as np

_LARGE = 1e4  # a float far beyond usual activations, and far below the limit of float32
_INDICES = 10  # int32 and int64 inputs are mostly indices, so they get values below this


@dataclass
class Case:
    """The input arrays of one invoke, and a name for them."""

    name: str
    inputs: list[np.ndarray]


# (lowest, highest) quantized value for the elements of an input, within the model's limits.
def _range(info):
    dtype = info.numpy_dtype()
    low, high = -_LARGE, _LARGE
    if dtype.kind == "b":
        low, high = 0, 1
    elif dtype.kind != "f":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        if dtype.itemsize >= 4:
            low, high = 0, _INDICES - 1
    if info.limits is None:
        return low, high
    ends = info.limits
    if info.scale:
        ends = [end / info.scale + info.zero_point for end in ends]
    first, last = ends if dtype.kind == "f" else (math.ceil(ends[0]), math.floor(ends[1]))
    if dtype.kind != "f" and dtype.itemsize >= 4:
        return first, last
    return max(low, first), min(high, last)


# Random values of an input's type. Floats that the model uses as indices are whole numbers.
def _random(info, random):
    dtype = info.numpy_dtype()
    if dtype.kind == "f" and info.limits is None:
        return random.standard_normal(info.shape).astype(dtype)
    low, high = _range(info)
    if dtype.kind == "f" and isinstance(low, float):
        return random.uniform(low, high, info.shape).astype(dtype)
    return random.integers(math.ceil(low), max(low, high) + 1, info.shape).astype(dtype)


# An array in which all elements have one value.
def _filled(info, value):
    return np.full(info.shape, value, info.numpy_dtype())


# The lowest value; for floats a large negative number.
def _lowest(info, _random):
    return _filled(info, _range(info)[0])


# The highest value; for floats a large number.
def _highest(info, _random):
    dtype = info.numpy_dtype()
    if info.limits is None and dtype.kind in "iu" and dtype.itemsize >= 4:
        return _filled(info, 1)
    return _filled(info, _range(info)[1])


# The quantized value of 0.
def _zero(info, _random):
    value = info.zero_point if info.numpy_dtype().kind in "iu" else 0
    low, high = _range(info)
    return _filled(info, value if info.limits is None else min(max(value, low), high))


# A random mixture of the lowest and the highest value.
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
    """Return a list of Case: `runs` random cases and four extreme ones.

    inputs: a list of TensorInfo. seed: of all random values.
    """
    random = np.random.default_rng(seed)
    kinds = [(f"random {i}", _random) for i in range(runs)] + list(_EXTREMES)
    return [Case(name, [make(info, random) for info in inputs]) for name, make in kinds]
