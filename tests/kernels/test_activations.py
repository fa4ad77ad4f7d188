# Tests of RELU and RELU6 on int8 and int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()

for op in ("RELU", "RELU6"):
    for seed in (1, 2):
        quantizations = random_quantizations(seed, 30)
        cases.add(
            f"{op} every value, seed {seed}",
            every_value_model(op, quantizations),
            inputs=every_value(quantizations),
        )
    for shape in [(), (7,), (2, 5), (1, 2, 3, 4, 5, 2)]:
        x, y = (Tensor(shape, "int8", scale=0.05, zero_point=-4) for _ in range(2))
        cases.add(f"{op} shape {shape}", single_op(op, [x], [y]))
    x, y = (Tensor((2, 0), "int8", scale=0.05, zero_point=-4) for _ in range(2))
    cases.add(f"{op} empty", single_op(op, [x], [y]), inputs=[[[]]], expected=[[[]]])
    for scale_in, scale_out in [(0.001, 0.001), (0.004, 0.001), (0.001, 0.00307), (1e-6, 1.0)]:
        x = Tensor((3, 50), "int16", scale=scale_in, zero_point=0)
        y = Tensor((3, 50), "int16", scale=scale_out, zero_point=0)
        cases.add(f"{op} int16 {scale_in} to {scale_out}", single_op(op, [x], [y]))

# Inputs whose outputs are one less when the scales are divided in double, not in float.
for scale_in, scale_out, values in [
    (0.007158925756812096, 0.008626852184534073, (6779, 10264, 13749, 16852)),
    (0.0003975793079007417, 0.0007004456711001694, (9444, 17261, 20515, 23769)),
]:
    x = Tensor((4,), "int16", scale=scale_in, zero_point=0)
    y = Tensor((4,), "int16", scale=scale_out, zero_point=0)
    name = f"RELU, precision of the multiplier {scale_in} to {scale_out}"
    cases.add(name, single_op("RELU", [x], [y]), inputs=[[values]])
# 6 / scale is 0.5 more than an integer in float, and less in double.
quantizations = [(6 / (n + 0.5), -128, 6 / (n + 0.5), -128) for n in range(1, 30)]
cases.add(
    "RELU6, precision of the limit",
    every_value_model("RELU6", quantizations),
    inputs=every_value(quantizations),
)
quantizations = [(6.0 / 127, 0, 6.0 / 127, 0), (1e-7, 0, 1e-7, 0), (1.0, 125, 1.0, 125)]
cases.add(
    "RELU6 at the limits", every_value_model("RELU6", quantizations), every_value(quantizations)
)
# TFLM overflows beyond 32 bits; tflm saturates.
x = Tensor((4,), "int8", scale=1.0, zero_point=0)
cases.add(
    "RELU with a huge multiplier",
    single_op("RELU", [x], [Tensor((4,), "int8", scale=1e-12, zero_point=-3)]),
    inputs=[[[-128, 0, 1, 127]]],
    expected=[[[-3, -3, 127, 127]]],
)
x, y = (Tensor((40,), "int16", scale=0.01, zero_point=zero) for zero in (5, -9))
cases.add("RELU6 int16 ignores the output's zero point", single_op("RELU6", [x], [y]))
cases.add("RELU int16 with a zero point", single_op("RELU", [x], [y]), error="zero point")
x = Tensor((4,), "int8", scale=0.1, zero_point=0)
y = Tensor((5,), "int8", scale=0.1, zero_point=0)
cases.add("size", single_op("RELU", [x], [y]), error="number of elements")
cases.add("type", single_op("RELU", [x], [Tensor((4,), "int32")]), error="must be int8")


@cases.parametrize
def test_activations(case):
    case.check()
