# tflm_tools: comparison: compares two arrays: integers exactly, floats within a tolerance
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

import numpy as np

RTOL = 1e-5
ATOL = 1e-6
_MAX_ROUNDED_SHARE = 0.01  # of the elements of a tensor


@dataclass
class Difference:
    """The first element that differs.

    index: its position. got, wanted: both values. count: how many of `total` elements differ.
    """

    index: tuple[int, ...]
    got: float | int
    wanted: float | int
    count: int
    total: int


# A mask of the elements that differ. NaN equals NaN, and infinities are compared exactly.
def _wrong(got, wanted):
    if wanted.dtype.kind != "f":
        return np.asarray(got != wanted)
    with np.errstate(all="ignore"):
        exact = wanted.astype(np.float64)
        near = np.abs(got.astype(np.float64) - exact) <= ATOL + RTOL * np.abs(exact)
    near &= np.isfinite(wanted)  # an infinite tolerance would accept everything
    return ~(near | (got == wanted) | (np.isnan(got) & np.isnan(wanted)))


def first_difference(got, wanted):
    """Return the first Difference of two arrays of equal type and shape, or None."""
    wrong = _wrong(got, wanted)
    if not wrong.any():
        return None
    index = tuple(int(i) for i in np.argwhere(wrong)[0])
    return Difference(index, got[index].item(), wanted[index].item(), int(wrong.sum()), wrong.size)


def is_rounded(difference, largest):
    """Return True if integers differ by one step, and only a small share of them.

    LiteRT's FULLY_CONNECTED of int8 differs so from TFLM's. difference: a Difference or None.
    largest: the largest difference of two elements.
    """
    if difference is None or not isinstance(difference.wanted, int) or largest != 1:
        return False
    return difference.count <= max(1, _MAX_ROUNDED_SHARE * difference.total)


def undefined(first, second):
    """Return a mask of the elements whose bytes differ in two arrays of equal type and shape."""
    one, two = (np.ascontiguousarray(a).view(np.uint8).reshape(*a.shape, a.itemsize)
                for a in (first, second))  # fmt: skip
    return (one != two).any(axis=-1)


def largest_difference(got, wanted):
    """Return the largest difference of two elements; None if each one is infinite or NaN."""
    with np.errstate(all="ignore"):
        distance = np.abs(got.astype(np.float64) - wanted.astype(np.float64))
    distance = distance[np.isfinite(distance)]
    return float(distance.max()) if distance.size else None
