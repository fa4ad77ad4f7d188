# Tests of the example of a new operator
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
_QUANTIZED = {"scale": 0.5, "zero_point": 3}


def model(shape, dtype="int8", to=None):
    x, y = Tensor(shape, dtype, **_QUANTIZED), Tensor(to or shape, dtype, **_QUANTIZED)
    return single_op("STABLEHLO_NEGATE", [x], [y])


for shape in [(1,), (7,), (2, 3, 5)]:
    data = np.random.default_rng(5).integers(-128, 128, shape, np.int8)
    cases.add(f"int8 {shape}", model(shape), inputs=[[data]], expected=[[~data]])
cases.add("int16", model((4,), "int16"), error="int16")
cases.add("sizes", model((4,), to=(5,)), error=r"should have shape \[4\]")


@cases.parametrize
def test_mirror_bits(case):
    case.check()
