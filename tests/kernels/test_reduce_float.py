# Tests of MEAN and SUM on float32 against TFLM: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

# Shape and axes.
REDUCTIONS = [
    ((), []),
    ((5,), [0]),
    ((5,), []),
    ((2, 3), [1]),
    ((2, 3), [0]),
    ((4, 7), [-1, 1]),
    ((2, 5, 6, 7), [1, 2]),
    ((2, 5, 6, 7), [2, 1]),
    ((2, 5, 6, 7), [0, 3]),
    ((2, 5, 6, 7), [3]),
    ((2, 5, 6, 7), [0, 1, 2, 3]),
    ((1, 4, 4, 70), [1, 2]),
    ((3, 1, 1, 4), [1, 2]),
    ((3, 2, 4, 3, 2, 5), [0, 2, 4]),
    ((3, 2, 4, 3, 2, 5), [1, 3, -1]),
    ((2, 3, 4, 5, 3), [1, 3]),
    ((1, 1, 1), [1]),
]


def reduction(operator, shape, axes, keep_dims):
    all_axes = {axis % len(shape) for axis in axes}
    target = [1 if i in all_axes else length for i, length in enumerate(shape)]
    if not keep_dims:
        target = [length for i, length in enumerate(shape) if i not in all_axes]
    return single_op(
        operator,
        [Tensor(shape, "float32"), Tensor((len(axes),), "int32", np.array(axes, np.int32))],
        [Tensor(target, "float32")],
        keep_dims=keep_dims,
    )


for operator in ("MEAN", "SUM"):
    for shape, axes in REDUCTIONS:
        for keep_dims in (False, True):
            name = f"{operator} {shape} {axes} {'kept' if keep_dims else 'dropped'}"
            cases.add(name, reduction(operator, shape, axes, keep_dims), slices=(1, 11))
    name = f"{operator} all magnitudes"
    random = generator(name)
    x = random.integers(0, 1 << 32, (60, 3), np.uint32).view(np.float32)
    x[:20] = random.normal(0, 1, (20, 3)) * 10.0 ** random.uniform(-8, 8, (20, 3))
    x[20:25, 0] = [np.inf, -np.inf, np.nan, -0.0, 1e-42]
    x[30] = -0.0
    cases.add(name, reduction(operator, (60, 3), [1], False), [[x]])
    cases.add(
        f"{operator} no elements to keep",
        reduction(operator, (0, 3), [1], True),
        [[[]]],
        expected=[[[]]],
    )
    cases.add(
        f"{operator} of nothing",
        reduction(operator, (0, 3), [0], False),
        [[np.zeros((0, 3))]],
        expected=[[np.zeros(3)]],
    )


# A constant input is stored in the model.
def constant(operator):
    model = ModelBuilder("constant")
    x = model.tensor((4, 6), "float32", np.linspace(-3, 8, 24))
    unused = model.tensor((1,), "float32")
    axis = model.tensor((1,), "int32", np.array([0], np.int32))
    y = model.tensor((6,), "float32")
    model.operator(operator, [x, axis], [y])
    model.io([unused], [y])
    return model.build()


for operator in ("MEAN", "SUM"):
    cases.add(f"{operator} of a constant", constant(operator), inputs="random")


@cases.parametrize
def test_reduce_float(case):
    case.check()
