# Tests of AVERAGE_POOL_2D and MAX_POOL_2D on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")
OPERATORS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


# Height or width of the output.
def outputs(size, window, stride, padding):
    if padding == "SAME":
        return -(-size // stride)
    return (size + stride - window) // stride


def pool(operator, shape, window, stride, padding="SAME", activation="NONE"):
    target = [outputs(*p, padding) for p in zip(shape[1:3], window, stride, strict=True)]
    return single_op(
        operator,
        [Tensor(shape, "float32")],
        [Tensor((shape[0], *target, shape[3]), "float32")],
        padding=padding,
        filter_height=window[0],
        filter_width=window[1],
        stride_h=stride[0],
        stride_w=stride[1],
        fused_activation_function=activation,
    )


for operator in OPERATORS:
    cases.add(f"{operator} 2x2", pool(operator, (1, 4, 6, 3), (2, 2), (2, 2)))
    cases.add(f"{operator} global", pool(operator, (2, 5, 4, 7), (5, 4), (1, 1), "VALID"))
    cases.add(f"{operator} 1x1", pool(operator, (1, 3, 4, 2), (1, 1), (1, 1)))
    cases.add(f"{operator} large window", pool(operator, (1, 3, 2, 2), (9, 8), (1, 1)))
    cases.add(f"{operator} large stride", pool(operator, (1, 9, 8, 2), (2, 3), (5, 4)))
    for number in range(24):
        name = f"{operator} random {number}"
        random = generator(name)
        shape = tuple(int(i) for i in random.integers(1, (3, 9, 9, 6)))
        padding = "SAME" if random.random() < 0.6 else "VALID"
        window = [int(i) for i in random.integers(1, 6, 2)]
        if padding == "VALID":
            window = [min(w, s) for w, s in zip(window, shape[1:3], strict=True)]
        stride = [int(i) for i in random.integers(1, 4, 2)]
        model = pool(operator, shape, window, stride, padding, ACTIVATIONS[number % 4])
        cases.add(name, model, "random", runs=1, slices=(1 + number % 3,))
    x = np.array([np.inf, -np.inf, np.nan, 1e-42, -0.0, 3e38, 3e38, -3e38, 1, -np.inf, 0, -0.0])
    x = np.concatenate([x, x[::-1], generator(operator).normal(0, 1e-38, 24)])
    for activation in ACTIVATIONS:
        cases.add(
            f"{operator} special values, {activation}",
            pool(operator, (1, 6, 8, 1), (2, 2), (1, 1), "SAME", activation),
            [[x.reshape(1, 6, 8, 1)]],
        )


# A constant input is stored in the model.
def constant(operator):
    model = ModelBuilder("constant")
    x = model.tensor((1, 4, 4, 2), "float32", np.linspace(-3, 8, 32))
    unused = model.tensor((1,), "float32")
    y = model.tensor((1, 2, 2, 2), "float32")
    options = {"filter_height": 2, "filter_width": 2, "stride_h": 2, "stride_w": 2}
    model.operator(operator, [x], [y], padding="SAME", **options)
    model.io([unused], [y])
    return model.build()


for operator in OPERATORS:
    cases.add(f"{operator} of a constant", constant(operator), inputs="random")


@cases.parametrize
def test_pooling_float(case):
    case.check()
