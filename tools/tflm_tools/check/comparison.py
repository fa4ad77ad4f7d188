# tflm_tools: comparison of two arrays: integers exactly, floats within a tolerance
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

RTOL = 1e-5
ATOL = 1e-6


@dataclass
class Difference:
    """The first element that differs: its index, both values, and how many differ of how many."""

    index: tuple[int, ...]
    got: float | int
    wanted: float | int
    count: int
    total: int


# Mask of the elements that differ. NaN equals NaN, infinities are exact.
def _wrong(got, wanted):
    if wanted.dtype.kind != "f":
        return np.asarray(got != wanted)
    with np.errstate(all="ignore"):
        exact = wanted.astype(np.float64)
        near = np.abs(got.astype(np.float64) - exact) <= ATOL + RTOL * np.abs(exact)
    near &= np.isfinite(wanted)  # an infinite tolerance would accept everything
    return ~(near | (got == wanted) | (np.isnan(got) & np.isnan(wanted)))


def first_difference(got, wanted):
    """The first Difference of two arrays of one type and shape; None when there is none."""
    wrong = _wrong(got, wanted)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return Difference(index, got[index].item(), wanted[index].item(), int(wrong.sum()), wrong.size)


def undefined(first, second):
    """The mask of elements whose bytes are not the same in two arrays of one shape and type."""
    one, two = (np.ascontiguousarray(a).view(np.uint8).reshape(*a.shape, a.itemsize)
                for a in (first, second))  # fmt: skip
    return (one != two).any(axis=-1)
