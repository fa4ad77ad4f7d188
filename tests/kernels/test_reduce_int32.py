# Tests of reductions of int32, which TFLM does not have, against numpy
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.test_reduce import REDUCTIONS
from support import litert
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
# MEAN: the sum does not overflow, the quotient is truncated towards zero.
for i, (shape, axis) in enumerate(REDUCTIONS):
    if np.prod(shape) >= 1 << 15:
        continue
    chosen = tuple({a % len(shape) for a in axis}) if shape else ()
    keep = i % 2 == 0
    result = np.zeros(shape).mean(chosen, keepdims=keep).shape
    name = f"MEAN {shape} {axis}"
    values = generator(name).integers(-(2**31), 2**31, shape, np.int32)
    axes = np.asarray(axis, np.int32)
    tensors = [Tensor(shape, "int32"), Tensor(axes.shape, "int32", axes)]
    model = single_op("MEAN", tensors, [Tensor(result, "int32")], keep_dims=keep)
    cases.add(name, model, [[values]], expected=litert.outputs, slices=(1, 7))
MEANS = [[2**31 - 1] * 3, [-(2**31)] * 3, [1, 1, 0], [-1, -1, 0], [-1, -2, -2], [-(2**31), 1, 0]]
tensors = [Tensor((6, 3), "int32"), Tensor((1,), "int32", [1])]
model = single_op("MEAN", tensors, [Tensor((6,), "int32")])
cases.add("MEAN edges", model, [[MEANS]], expected=litert.outputs)
for count in (32767, 32768):
    tensors = [Tensor((count,), "int32"), Tensor((1,), "int32", [0])]
    model = single_op("MEAN", tensors, [Tensor((), "int32")])
    for value in (2**31 - 1, -(2**31), None):
        values = generator(str(value)).integers(-(2**31), 2**31, count, np.int32)
        values = values if value is None else np.full(count, value, np.int32)
        error = None if count < 1 << 15 else "MEAN of 32768 int32 is not supported"
        expected = litert.outputs if error is None else None
        name = f"MEAN of {count} {value}"
        cases.add(name, model, [[values]], expected=expected, error=error, slices=(1,))


@cases.parametrize
def test_reduce_int32(case):
    case.check()
