# Tests of SUM, REDUCE_MAX and REDUCE_MIN of int32, which TFLM does not have, against numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.test_reduce import REDUCTIONS
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

FUNCTIONS = {"SUM": np.add, "REDUCE_MAX": np.maximum, "REDUCE_MIN": np.minimum}
EDGES = np.array([-(2**31), 2**31 - 1, 0, -1, 1, 2**30], np.int32)

cases = Cases()


def reduction(operator, shape, axis, values, keep_dims=False):
    axes = np.asarray(axis, np.int32)
    chosen = tuple({a % len(shape) for a in axis}) if shape else ()
    result = FUNCTIONS[operator].reduce(values, chosen, np.int32, keepdims=keep_dims)
    model = single_op(
        operator,
        [Tensor(shape, "int32"), Tensor(axes.shape, "int32", axes)],
        [Tensor(result.shape, "int32")],
        keep_dims=keep_dims,
    )
    return model, [[values]], [[result]]


for operator in FUNCTIONS:
    for i, (shape, axis) in enumerate(REDUCTIONS):
        name = f"{operator} {shape} {axis}"
        values = generator(name).integers(-(2**31), 2**31, shape, np.int32)
        model, inputs, expected = reduction(operator, shape, axis, values, i % 2 == 0)
        cases.add(name, model, inputs, expected=expected, slices=(1, 7))
    edges = np.stack([np.roll(EDGES, i) for i in range(4)])
    for axis in ((0,), (1,)):
        name = f"{operator} edges {axis}"
        model, inputs, expected = reduction(operator, edges.shape, axis, edges)
        cases.add(name, model, inputs, expected=expected)
tensors = [Tensor((2, 3), "int32"), Tensor((1,), "int32", [1])]
cases.add("MEAN", single_op("MEAN", tensors, [Tensor((2,), "int32")]), error="must be float32")


@cases.parametrize
def test_reduce_int32(case):
    case.check()
