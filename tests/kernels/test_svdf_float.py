# Tests of SVDF on float32 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.single_op import Tensor, single_op

random = np.random.default_rng(28)


# An SVDF on float32.
def float_model(
    batches=1,
    size=5,
    filters=6,
    memory=4,
    rank=1,
    bias=True,
    large=1.0,
    bias_values=None,
    **options,
):
    def values(*shape):
        return random.standard_normal(shape).astype(np.float32) * np.float32(large)

    units = filters // rank
    return single_op(
        "SVDF",
        [
            Tensor((batches, size), "float32"),
            Tensor((filters, size), "float32", values(filters, size)),
            Tensor((filters, memory), "float32", values(filters, memory)),
            Tensor((units,), "float32", bias_values or values(units)) if bias else None,
            Tensor((batches, filters * memory), "float32", variable=True),
        ],
        [Tensor((batches, units), "float32")],
        rank=rank,
        **options,
    )


floats = Cases()
for keywords in (
    {},
    {"batches": 3, "rank": 2},
    {"size": 1, "filters": 1, "memory": 1},
    {"rank": 3, "memory": 9},
    {"rank": 6},
    {"large": 1e15},
):
    floats.add(f"float32 {keywords}", float_model(**keywords), runs=10)
for activation in ("RELU", "RELU_N1_TO_1", "RELU6", "SIGN_BIT"):
    model = float_model(fused_activation_function=activation)
    floats.add(f"float32 {activation}", model, runs=6)
model = float_model(fused_activation_function="TANH")
floats.add("float32 TANH", model, runs=6, rtol=2e-7)
floats.add("float32 reset", float_model(), runs=4, reset=True)
# TFLM reads an invalid bias if there is none; tflm starts sums at 0.
random = np.random.default_rng(6)
model = float_model(bias=False)
random = np.random.default_rng(6)
floats.add("float32 no bias", model, oracle_model=float_model(bias_values=[0.0] * 6))


@floats.parametrize
def test_float32(case):
    case.check()
