# Tests of the sums of weights in optimization passes, against numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from tflm_tools.optimize.weight_sums import WeightSums, picked


@pytest.mark.parametrize("zero", [0, -128, 127, 5])
@pytest.mark.parametrize("taps", [1, 9])
def test_bounds(zero, taps):
    random = np.random.default_rng(taps)
    weights = random.integers(-128, 128, (6, taps, 4))
    weights[2] = zero
    weights[:, :, 1] = zero
    low = random.integers(-128, 100, 4)
    high = low + random.integers(0, 28, 4)
    sums = WeightSums([row.astype(np.int8).tobytes() for row in weights], 4, zero)
    weights = weights - zero
    lowest = np.minimum(weights * low, weights * high).sum((1, 2))
    highest = np.maximum(weights * low, weights * high).sum((1, 2))
    assert sums.bounds(low.tolist(), high.tolist()) == (lowest.tolist(), highest.tolist())
    assert sums.used() == weights.any((0, 1)).tolist()
    assert [sums.of_input(i) for i in range(4)] == weights.sum(1).T.tolist()


def test_picked():
    row = bytes(range(12))
    assert picked(row, 4, [0, 1, 2, 3]) == row
    assert picked(row, 4, [1, 3]) == bytes([1, 3, 5, 7, 9, 11])
    assert picked(row, 12, [7]) == bytes([7])
