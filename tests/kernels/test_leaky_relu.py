# Tests of LEAKY_RELU on int8 and int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.every_value import every_value, every_value_model, random_quantizations
from support.single_op import Tensor, single_op

cases = Cases()

for alpha in (0.0, 0.01, 0.2, 1.0, 3.3, -0.3, -2.0):
    quantizations = random_quantizations(int(alpha * 100) + 500, 16)
    cases.add(
        f"every value, alpha {alpha}",
        every_value_model("LEAKY_RELU", quantizations, alpha=alpha),
        inputs=every_value(quantizations),
    )
    # All values of int16 for which the last bit of the multipliers matters.
    for scale_in, scale_out, zero_in, zero_out in [
        (0.00123, 0.00077, 0, 0),
        (0.001, 0.0034, 7, -9),
    ]:
        x = Tensor((4096,), "int16", scale=scale_in, zero_point=zero_in)
        y = Tensor((4096,), "int16", scale=scale_out, zero_point=zero_out)
        cases.add(
            f"int16, alpha {alpha}, {scale_in} to {scale_out}",
            single_op("LEAKY_RELU", [x], [y], alpha=alpha),
            inputs=[[np.arange(-32768, 32768, 16) + 3]],
        )
for shape in [(), (7,), (2, 5), (1, 2, 3, 4, 5, 2)]:
    x, y = (Tensor(shape, "int8", scale=0.05, zero_point=-4) for _ in range(2))
    cases.add(f"shape {shape}", single_op("LEAKY_RELU", [x], [y], alpha=0.1))


@cases.parametrize
def test_leaky_relu(case):
    case.check()
