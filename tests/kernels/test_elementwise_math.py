# Tests of ABS, CEIL, COS, ELU, EXP, FLOOR, LOG, NEG and others on float32 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

# Operator and tolerance: 2 units in the last place if the function is not exact.
OPERATORS = [
    ("ABS", 0.0),
    ("CEIL", 0.0),
    ("COS", 2.4e-7),
    ("ELU", 2.4e-7),
    ("EXP", 2.4e-7),
    ("FLOOR", 0.0),
    ("LOG", 2.4e-7),
    ("NEG", 0.0),
    ("ROUND", 0.0),
    ("RSQRT", 0.0),
    ("SIN", 2.4e-7),
    ("SQRT", 0.0),
    ("SQUARE", 0.0),
]

SHAPES = [(), (1,), (7,), (2, 3, 4), (1, 2, 3, 1, 2, 3), (0, 3)]


# Values where functions change their branches, all magnitudes, and random bit patterns.
def values(name, count=400):
    random = generator(name)
    special = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999997, -0.49999997, 0.99999994]
    special += [np.inf, -np.inf, np.nan, 1, -1, 2, 4, 8388607.5, -8388607.5, 16777216, 2147483648]
    special += [88.7, 89, -88, -104, 1.1754944e-38, 1e-42, -1e-42, 1e-20, -1e-20, 3.4028235e38]
    special += [1.0000001, 0.6666667, 1.3333334, 1.3333333, 1e30, 1e-30, np.pi, np.pi / 2, 1e5]
    bits = random.integers(0, 1 << 32, count, np.uint32)
    with np.errstate(all="ignore"):
        return np.concatenate(
            [
                np.array(special, np.float32),
                bits.view(np.float32),
                random.normal(0, 4, count).astype(np.float32),
                (random.integers(-40, 40, count // 4) / 2).astype(np.float32),
                random.uniform(-1e5, 1e5, count // 2).astype(np.float32),
                (random.integers(-1000, 1000, count // 4) * (np.pi / 2)).astype(np.float32),
                np.exp(random.uniform(-60, 60, count // 2)).astype(np.float32),
                (1 + random.normal(0, 1, count // 2) / 1000).astype(np.float32),
            ]
        )


for name, tolerance in OPERATORS:
    for shape in SHAPES:
        model = single_op(name, [Tensor(shape, "float32")], [Tensor(shape, "float32")])
        # The wheel refuses empty tensors.
        empty = [[[]]] if 0 in shape else None
        cases.add(f"{name} {shape}", model, empty, rtol=tolerance, expected=empty)
    x = values(name)
    model = single_op(name, [Tensor(x.shape, "float32")], [Tensor(x.shape, "float32")])
    # Slices of 3 units for large tensors.
    cases.add(f"{name} of all magnitudes", model, [[x]], rtol=tolerance, slices=(37,))


# A constant input is stored in the model.
def constant(name):
    model = ModelBuilder("constant")
    x = model.tensor((60,), "float32", values(name + " constant")[30:90])
    unused = model.tensor((1,), "float32")
    y = model.tensor((60,), "float32")
    model.operator(name, [x], [y])
    model.io([unused], [y])
    return model.build()


for name, tolerance in OPERATORS:
    cases.add(f"{name} of a constant", constant(name), inputs="random", rtol=tolerance)
    cases.add(
        f"{name} to another type",
        single_op(name, [Tensor((2,), "float32")], [Tensor((2,), "int8", scale=1.0)]),
        error="float32",
    )
    cases.add(
        f"{name} of another type",
        single_op(name, [Tensor((2,), "int64")], [Tensor((2,), "int64")]),
        error="float32",
    )
    cases.add(
        f"{name} to another size",
        single_op(name, [Tensor((2,), "float32")], [Tensor((3,), "float32")]),
        error="elements",
    )


@cases.parametrize
def test_elementwise_math(case):
    case.check()
