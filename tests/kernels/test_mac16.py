# Tests of kernels with weights for MAC16 (prepare/mac16.py) by the portable kernels
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support.check import Cases
from tflm_tools.flat.flatten import flatten, prepare

from tests.kernels import test_dsp, test_lanes

TARGET = "mac16"
BOTH = (TARGET, TARGET + " bytes")


# Return the kernels that the flat model of the target calls.
def kernels(model):
    _, storage = prepare(model, target=TARGET)
    return {record.kernel.partition(".")[0] for record in storage.records}


# The cases of the other packed kernels and of other test files: the same records with another
# stream. Sums are the same as for the DSP extension: folded, or above a half.
cases = Cases()
_EVERY = 4  # one of this number of cases of the other test files runs here
_seen = set()
for source in (test_lanes, test_dsp):
    for number, case in enumerate(source.cases):
        if case.error or case.expected or case.name in _seen:
            continue
        if case.name.startswith("test_") and number % _EVERY:
            continue
        if any("mac16" in name for name in kernels(case.build())):
            _seen.add(case.name)
            path = BOTH[number % 4 == 0]
            if any("rows" in each for each in case.paths):
                path += " rows"
            model, oracle = case.build(), case.oracle_model
            cases.add(case.name, model, runs=1, oracle_model=oracle, paths=(path,))


@cases.parametrize
def test_mac16(case):
    case.check()


def test_cases_have_every_kernel():
    found = set().union(*(kernels(case.build()) for case in cases))
    assert {"conv_mac16", "fully_connected_mac16", "depthwise_conv_mac16"} <= found


# Weights of -128 fit halfwords, also in 3x3 filters; a large bias never fits.
def test_layers_that_fit_halfwords():
    shape, source = (4, 3, 3, 8), (1, 4, 4, 8)
    assert kernels(test_lanes.random_conv("-128", shape, source, low=-128)) == {"conv_mac16"}
    ones = np.ones((2, 1, 1, 4), np.int8)
    assert kernels(test_lanes.conv("", ones, [1 << 30, 0], (1, 2, 2, 4))) == {"conv"}


# A .tflm for MAC16 has the size of one for chips without MAC16: 4 words besides a channel's
# weights.
@pytest.mark.parametrize("shape", [(8, 3, 3, 8), (6, 1, 1, 12)])
def test_flat_model_size(shape):
    model = test_lanes.random_conv("size", shape, (1, 4, 4, shape[3]))
    sizes = [len(flatten(model, target=target)) for target in (TARGET, "xtensawin")]
    assert sizes[0] == sizes[1]
