# Tests of TANH on int8 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.every_value import every_value, every_value_model
from support.single_op import Tensor, single_op

OUTPUT = {"scale": 1 / 128, "zero_point": 0}
cases = Cases()

for zero_point in (-128, -60, 0, 127):
    scales = np.geomspace(2.0**-27, 60.0, 24)
    quantizations = [(scale, zero_point, 1 / 128, 0) for scale in scales]
    cases.add(
        f"every value, zero point {zero_point}",
        every_value_model("TANH", quantizations),
        inputs=every_value(quantizations),
    )
for shape in [(), (3,), (2, 5), (1, 2, 3, 4, 5, 2), (0, 3)]:
    x = Tensor(shape, "int8", scale=0.05, zero_point=4)
    outputs = {"inputs": [[[]]], "expected": [[[]]]} if 0 in shape else {}
    cases.add(
        f"shape {shape}", single_op("TANH", [x], [Tensor(shape, "int8", **OUTPUT)]), **outputs
    )
# A scale so small that exp() gets only zeros; TFLM shifts by negative numbers, which C leaves
# undefined.
cases.add(
    "tiny scale",
    single_op(
        "TANH", [Tensor((3,), "int8", scale=1e-15, zero_point=0)], [Tensor((3,), "int8", **OUTPUT)]
    ),
    inputs=[[[-128, 0, 127]]],
    expected=[[[0, 0, 0]]],
)


# Models that must be refused.
def refused(name, x, y, error):
    cases.add(name, single_op("TANH", [x], [y]), error=error)


X = Tensor((4,), "int8", scale=0.1, zero_point=0)
refused("type", X, Tensor((4,), "int16", **OUTPUT), "must be int8")
refused("size", X, Tensor((5,), "int8", **OUTPUT), "number of elements")
refused("no scale", Tensor((4,), "int8"), Tensor((4,), "int8", **OUTPUT), "no scale")
refused("int32", Tensor((4,), "int32"), Tensor((4,), "int32"), "must be")


@cases.parametrize
def test_tanh(case):
    case.check()
