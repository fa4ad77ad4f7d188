# Tests of LOGISTIC, TANH, RELU, RELU6, LEAKY_RELU, HARD_SWISH on float32 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

# Operator, options, tolerance: these functions are within 2 units in the last place of TFLM's.
OPERATORS = [
    ("LOGISTIC", {}, 3e-7),
    ("TANH", {}, 3e-7),
    ("RELU", {}, 0.0),
    ("RELU6", {}, 0.0),
    ("HARD_SWISH", {}, 0.0),
    ("LEAKY_RELU", {"alpha": 0.2}, 0.0),
    ("LEAKY_RELU", {"alpha": 0.0}, 0.0),
    ("LEAKY_RELU", {"alpha": -1.5}, 0.0),
    ("LEAKY_RELU", {"alpha": 3.0e38}, 0.0),
]

SHAPES = [(), (1,), (7,), (2, 3, 4), (1, 2, 3, 1, 2, 3), (0, 3)]


# Values where functions change their branches, all magnitudes, and random bit patterns.
def values(name, count=600):
    random = generator(name)
    special = [0.0, -0.0, 3, -3, 6, 3.0000002, -3.0000002, 6.0000005, 1e30, -1e30, 1e-42, -1e-42]
    special += [np.inf, -np.inf, np.nan, -9, -9.000001, -8.999999, 16.619047, 16.61905, 16.6]
    special += [88.7, 89, -88, -104, -103.9, 1.1754944e-38, 1e-20, -1e-20, 3.4028235e38]
    bits = random.integers(0, 1 << 32, count // 3, np.uint32)
    return np.concatenate(
        [
            np.array(special, np.float32),
            bits.view(np.float32),
            random.normal(0, 4, count // 3).astype(np.float32),
            (2.0 ** random.uniform(-30, 7, count // 3)).astype(np.float32)
            * random.choice([-1, 1], count // 3).astype(np.float32),
        ]
    )


for operator, options, tolerance in OPERATORS:
    name = " ".join([operator, *[f"{key} {value}" for key, value in options.items()]])
    for shape in SHAPES:
        model = single_op(
            operator, [Tensor(shape, "float32")], [Tensor(shape, "float32")], **options
        )
        # The wheel refuses empty tensors.
        empty = [[[]]] if 0 in shape else None
        cases.add(f"{name} {shape}", model, empty, rtol=tolerance, expected=empty)
    x = values(name)
    model = single_op(
        operator, [Tensor(x.shape, "float32")], [Tensor(x.shape, "float32")], **options
    )
    # Slices of 3 units for large tensors.
    cases.add(f"{name} of all magnitudes", model, [[x]], rtol=tolerance, slices=(37,))


# A constant input is stored in the model.
def constant(operator, options):
    model = ModelBuilder("constant")
    x = model.tensor((60,), "float32", values(operator + " constant", 90)[:60])
    unused = model.tensor((1,), "float32")
    y = model.tensor((60,), "float32")
    model.operator(operator, [x], [y], **options)
    model.io([unused], [y])
    return model.build()


for operator, options, tolerance in OPERATORS[:6]:
    cases.add(
        f"{operator} of a constant", constant(operator, options), inputs="random", rtol=tolerance
    )

for operator, options, _ in OPERATORS[:6]:
    cases.add(
        f"{operator} to another type",
        single_op(
            operator, [Tensor((2,), "float32")], [Tensor((2,), "int8", scale=1.0)], **options
        ),
        error="float32",
    )
    cases.add(
        f"{operator} to another size",
        single_op(operator, [Tensor((2,), "float32")], [Tensor((3,), "float32")], **options),
        error="elements",
    )


@cases.parametrize
def test_unary_float(case):
    case.check()
