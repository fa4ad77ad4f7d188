# Tests of ADD, SUB, MUL, MAXIMUM, MINIMUM on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

ACTIVATIONS = ("NONE", "RELU", "RELU_N1_TO_1", "RELU6")
ARITHMETIC = ("ADD", "SUB", "MUL")
OPERATORS = (*ARITHMETIC, "MAXIMUM", "MINIMUM")

# Shapes of input 1, input 2 and output: equal, scalar, channel, both broadcast, many levels.
SHAPES = [
    ((), (), ()),
    ((1,), (), (1,)),
    ((5,), (5,), (5,)),
    ((), (2, 3), (2, 3)),
    ((2, 3), (1,), (2, 3)),
    ((1, 1, 1), (2, 150), (1, 2, 150)),
    ((1, 4, 7, 5), (1, 4, 7, 5), (1, 4, 7, 5)),
    ((2, 3, 2, 19), (19,), (2, 3, 2, 19)),
    ((3, 1), (1, 70), (3, 70)),
    ((2, 1, 1, 7), (2, 2, 3, 7), (2, 2, 3, 7)),
    ((2, 2, 3, 1), (2, 2, 3, 9), (2, 2, 3, 9)),
    ((2, 1, 2, 1, 2, 3), (1, 3, 1, 2, 2, 1), (2, 3, 2, 2, 2, 3)),
    ((0, 3), (1, 3), (0, 3)),
]


def binary(operator, shapes, activation=None):
    options = {"fused_activation_function": activation} if operator in ARITHMETIC else {}
    inputs = [Tensor(shape, "float32") for shape in shapes[:2]]
    return single_op(operator, inputs, [Tensor(shapes[2], "float32")], **options)


for number, operator in enumerate(OPERATORS):
    for i, shapes in enumerate(SHAPES):
        activation = ACTIVATIONS[(i + number) % 4]
        # The wheel refuses empty tensors.
        empty = 0 in shapes[2]
        cases.add(
            f"{operator} {shapes}",
            binary(operator, shapes, activation),
            [[np.zeros(shape) for shape in shapes[:2]]] if empty else "random",
            expected=[[[]]] if empty else None,
            slices=(1, 7),
        )


# Pairs of random bit patterns, of similar magnitudes, and of all special values.
def pairs(name):
    random = generator(name)
    special = np.array(
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1, 6, 1e-42, -1e-42, 1.1754944e-38, 3.4028235e38]
        + [-3.4028235e38, 1e30, 1e-30],
        np.float32,
    )
    left, right = (side.ravel() for side in np.meshgrid(special, special))
    bits = random.integers(0, 1 << 32, (2, 300), np.uint32).view(np.float32)
    near = random.normal(0, 3, (2, 300)).astype(np.float32)
    tiny = (near[:, :100] * np.float32(1e-20)).astype(np.float32)
    # MAXIMUM and MINIMUM of a signalling NaN: any NaN is accepted.
    return [np.concatenate(side) for side in zip((left, right), bits, near, tiny, strict=True)]


for operator in OPERATORS:
    for activation in ACTIVATIONS if operator in ARITHMETIC else ("NONE",):
        inputs = pairs(f"{operator} {activation}")
        shapes = (inputs[0].shape,) * 3
        cases.add(
            f"{operator} of all magnitudes, {activation}",
            binary(operator, shapes, activation),
            [inputs],
            slices=(61,),
        )
    cases.add(f"{operator} extremes", binary(operator, ((6,),) * 3, "NONE"), "extreme")


# One tensor as both inputs, and constants on either side.
def other_inputs(operator, which):
    model = ModelBuilder(which)
    x = model.tensor((2, 7), "float32")
    y = model.tensor((2, 7), "float32")
    data = generator(operator + which).normal(0, 2, 14)
    if which == "constant first":
        inputs = [model.tensor((2, 7), "float32", data), x]
    elif which == "constant second":
        inputs = [x, model.tensor((2, 1), "float32", data[:2])]
    elif which == "constants":
        inputs = [
            model.tensor((7,), "float32", data[:7]),
            model.tensor((2, 1), "float32", data[:2]),
        ]
    else:
        inputs = [x, x]
    model.operator(operator, inputs, [y])
    model.io([x], [y])
    return model.build()


for operator in OPERATORS:
    for which in ("constant first", "constant second", "constants", "twice the same"):
        cases.add(f"{operator} {which}", other_inputs(operator, which))
    cases.add(
        f"{operator} of two types",
        single_op(
            operator,
            [Tensor((2,), "float32"), Tensor((2,), "int32")],
            [Tensor((2,), "float32")],
        ),
        error="float32",
    )


@cases.parametrize
def test_arithmetic_float(case):
    case.check()
