# Test support: comparison of outputs with the oracle's, and the words for a difference
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np


# Compare one output; integers exactly, floats by tolerance.
def difference(
    got: np.ndarray,
    wanted: np.ndarray,
    rtol: float = 0.0,
    atol: float = 0.0,
    ignore: np.ndarray | None = None,
) -> str:
    """Return "" when `got` equals `wanted`, else where and how much they differ.

    Floats may differ by `atol + rtol * |wanted|`; NaN equals NaN and infinities are exact.
    Elements where `ignore` is true are not compared.
    """
    if got.dtype != wanted.dtype:
        return f"type is {got.dtype}, not {wanted.dtype}"
    if got.shape != wanted.shape:
        return f"shape is {got.shape}, not {wanted.shape}"
    wrong = _wrong(got, wanted, rtol, atol)
    if ignore is not None:
        wrong &= ~ignore
    if not wrong.any():
        return ""
    first = tuple(int(i) for i in np.argwhere(wrong)[0])
    text = f"{int(wrong.sum())} of {wrong.size} elements differ, first at {list(first)}: "
    text += f"{got[first]!s} instead of {wanted[first]!s}"
    if got.dtype.kind == "b":
        return text
    with np.errstate(all="ignore"):
        distance = np.where(wrong, np.abs(got.astype(object) - wanted.astype(object)), 0)
    worst = tuple(int(i) for i in np.unravel_index(np.argmax(distance), wrong.shape))
    if worst != first:
        text += f"; most at {list(worst)}: {got[worst]!s} instead of {wanted[worst]!s}"
    if got.dtype.kind in "fc":
        text += f" (rtol {rtol}, atol {atol})"
    return text


# Mask of the elements that are not equal enough.
def _wrong(got, wanted, rtol, atol):
    if got.dtype.kind not in "fc":
        return np.asarray(got != wanted)
    wide = np.complex128 if got.dtype.kind == "c" else np.float64
    with np.errstate(all="ignore"):
        distances = np.abs(got.astype(wide) - wanted)
        near = distances <= atol + rtol * np.abs(wanted.astype(wide))
    near &= np.isfinite(wanted)  # a tolerance of infinity would accept everything
    return ~(near | (got == wanted) | (np.isnan(got) & np.isnan(wanted)))


# Elements that differ between two runs of the oracle over differently filled memory.
def undefined(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the mask of elements whose bytes are not the same in both."""
    one = np.ascontiguousarray(first).view(np.uint8).reshape(*first.shape, first.itemsize)
    two = np.ascontiguousarray(second).view(np.uint8).reshape(*second.shape, second.itemsize)
    return np.asarray((one != two).any(axis=-1))
