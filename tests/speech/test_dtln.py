# Tests of networks of DTLN's kind: block by block, with the states as inputs and outputs
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from speech.dtln import Dtln
from support import litert
from support.oracle import shared_oracle
from tflm_tools.flat.flatten import flatten
from tflm_tools.port import invocation

_BLOCKS = 5


@pytest.mark.sampled(2)
@pytest.mark.parametrize("is_hybrid", [
    False, pytest.param(True, marks=litert.needs_litert),  # TFLM refuses weights of int8
])  # fmt: skip
@pytest.mark.parametrize("half", [1, 2])
def test_blocks(half, is_hybrid):
    network = Dtln(half, size=34, units=16, features=20, is_hybrid=is_hybrid)
    model, states = network.build(), np.zeros((1, 2, 16, 2), np.float32)
    flats = [flatten(model, target=target) for target in (None, "armv6m", "armv7em")]
    for block in network.blocks(_BLOCKS):
        inputs = [block, states]
        outputs_of = litert.outputs if is_hybrid else shared_oracle().run
        [wanted] = outputs_of(model, [inputs])
        for flat in flats:
            _, data, _ = invocation.invoke(flat, b"".join(each.tobytes() for each in inputs))
            found = np.frombuffer(data, np.float32)
            assert np.allclose(found, np.concatenate([*map(np.ravel, wanted)]), 2e-6, 1e-6)
        states = wanted[1]
