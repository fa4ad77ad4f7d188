# Tests of LOGISTIC and TANH on int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
EVERY = np.concatenate([np.arange(-32768, 32768, 61), [32767, -1, 0, 1]])


# A model of one operator.
def unary(op, shape, scale, zero_point=0, output_scale=1 / 32768, output_zero=0):
    return single_op(
        op,
        [Tensor(shape, "int16", scale=scale, zero_point=zero_point)],
        [Tensor(shape, "int16", scale=output_scale, zero_point=output_zero)],
    )


for op in ("LOGISTIC", "TANH"):
    for power in (-14, -12, -11, -10, 0):
        for off in (1.0, 1.0006, 0.9994, 1.0008, 0.9992, 1.3):
            scale = off * 2.0**power
            cases.add(f"{op} {scale}", unary(op, EVERY.shape, scale), inputs=[[EVERY]])
    for scale in (1e-4, 0.00033, 0.005, 0.1, 2.6, 1e-12):
        cases.add(f"{op} {scale}", unary(op, EVERY.shape, scale), inputs=[[EVERY]])
    for shape in [(), (7,), (1, 2, 3, 4, 5, 2)]:
        cases.add(f"{op} shape {shape}", unary(op, shape, 2.0**-12))
    cases.add(f"{op} empty", unary(op, (0, 3), 2.0**-12), inputs=[[[]]], expected=[[[]]])
    model = unary(op, (9,), 2.0**-12, output_scale=1.0005 / 32768)
    cases.add(f"{op} output scale nearly 1/32768", model)
    model = unary(op, (9,), 2.0**-12, output_scale=1.001 / 32768)
    cases.add(f"{op} output scale", model, error="output scale")
    cases.add(f"{op} zero point", unary(op, (9,), 2.0**-12, 1), error="zero point")
    model = unary(op, (9,), 2.0**-12, output_zero=1)
    cases.add(f"{op} output zero point", model, error="zero point")
    cases.add(f"{op} large scale", unary(op, (9,), 3.0), error="so large")
# Outputs at two places of the arena.
builder = ModelBuilder()
x = builder.tensor((40,), "int16", scale=2.0**-12, zero_point=0)
outputs = [builder.tensor((40,), "int16", scale=1 / 32768, zero_point=0) for _ in range(3)]
for op, y in zip(("LOGISTIC", "TANH", "LOGISTIC"), outputs, strict=True):
    builder.operator(op, [x], [y])
builder.io([x], outputs)
cases.add("three outputs", builder.build())


@cases.parametrize
def test_sigmoid_int16(case):
    case.check()
