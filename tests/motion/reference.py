# Windows of samples as inputs of a model, computed with numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np


def quantize(samples, units, scale, zero_point):
    """Return int8 of int16 samples [..., axes], each axis in steps of `units`, for a tensor.

    The factor has 15 bits, halves are rounded up.
    """
    found = []
    for axis, unit in enumerate(units):
        factor, shift = unit / scale, 0
        while shift < 30 and factor * 2 <= 32767:
            factor, shift = factor * 2, shift + 1
        product = samples[..., axis].astype(np.int64) * int(factor + 0.5)
        found.append(((product + (1 << shift - 1)) >> shift) + zero_point)
    return np.clip(np.stack(found, axis=-1), -128, 127).astype(np.int8)
