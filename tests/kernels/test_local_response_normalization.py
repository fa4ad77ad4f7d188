# Tests of LOCAL_RESPONSE_NORMALIZATION against LiteRT; TFLM has no such operator
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support import litert
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

pytestmark = litert.needs_litert

cases = Cases()
_POW = {"rtol": 3e-7, "atol": 2e-45}  # of kernels/float32_pow.py


def _model(shape, **options):
    tensors = [Tensor(shape, "float32")], [Tensor(shape, "float32")]
    return single_op("LOCAL_RESPONSE_NORMALIZATION", *tensors, **options)


for shape, radius, bias, alpha, beta in [
    ((1, 1, 1, 7), 2, 1.0, 1.0, 1.0),
    ((2, 3, 2, 12), 5, 1.0, 1e-4, 0.75),  # AlexNet
    ((1, 4, 4, 3), 100, 2.0, 0.1, 0.5),
    ((1, 2, 2, 5), 1, 0.5, -0.01, -1.5),
    ((1, 2, 2, 5), 0, 4.0, 1.0, 0.5),
    ((1, 1, 1, 1), 1, 1.0, 2.0, 0.75),
    ((1, 0, 2, 4), 2, 1.0, 1.0, 0.5),
]:
    options = {"radius": radius, "bias": bias, "alpha": alpha, "beta": beta}
    name = f"{shape} {radius} {bias} {alpha} {beta}"
    values = [[generator(name).normal(0, 2, shape).astype("f")] for _ in range(2)]
    cases.add(name, _model(shape, **options), values, expected=litert.outputs, **_POW)

# Sums that overflow, zeros, and a base that is negative.
values = np.array([1e30, -1e30, 0, 1e-30, 3, np.inf, 1, 2], "f").reshape(1, 1, 1, 8)
for beta in (0.5, 2.0):
    model = _model((1, 1, 1, 8), radius=1, bias=0.0, alpha=1.0, beta=beta)
    cases.add(f"extreme {beta}", model, [[values]], expected=litert.outputs, **_POW)
cases.add("rank 3", _model((1, 2, 3), radius=1), error="has not 4 dimensions")
cases.add("negative radius", _model((1, 1, 1, 3), radius=-1), error="the radius is -1")


@cases.parametrize
def test_local_response_normalization(case):
    case.check()
