# Tests of REDUCE_ALL against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import generator
from support.single_op import Tensor, single_op

cases = Cases()


# Whether all are true; most are, so that the answers differ.
def add(name, shape, axes, keep_dims=False, constant=False, wheel=True):
    name = f"{name} {shape} {axes} {keep_dims}"
    runs = [
        generator(f"{name} {i}").uniform(size=shape) < p for i, p in enumerate((0.8, 0.99, 1.1))
    ]
    output = np.all(runs[0], tuple(axes), keepdims=keep_dims).shape
    x = Tensor(shape, "bool", runs[0] if constant else None)
    model = single_op(
        "REDUCE_ALL",
        [x, Tensor((len(axes),), "int32", axes)],
        [Tensor(output, "bool")],
        keep_dims=keep_dims,
    )
    expected = [[np.all(x, tuple(axes), keepdims=keep_dims)] for x in runs]
    inputs = [[]] if constant else [[x] for x in runs]
    cases.add(name, model, inputs=inputs, expected=None if wheel else expected)


for keep_dims in (False, True):
    add("", (7,), [0], keep_dims)
    add("", (3, 4), [1], keep_dims)
    add("", (3, 4), [-2], keep_dims)
    add("", (2, 3, 4, 5), [1, 2], keep_dims)
    add("", (2, 3, 4, 5), [0, 3], keep_dims)
    add("", (2, 1, 3, 2), [0, 1, 2, 3], keep_dims)
add("constant", (3, 40), [1], constant=True)
add("of nothing", (3, 0), [1], wheel=False)
for dtypes in (("int8", "bool"), ("bool", "int8")):
    tensors = [Tensor((3, 4), dtypes[0], scale=1.0), Tensor((1,), "int32", [1])]
    model = single_op("REDUCE_ALL", tensors, [Tensor((3,), dtypes[1], scale=1.0)])
    cases.add(f"refused: {dtypes}", model, error="must be bool")
tensors = [Tensor((3, 4), "bool"), Tensor((1,), "int32", [2])]
cases.add("refused: axis", single_op("REDUCE_ALL", tensors, [Tensor((3,), "bool")]), error="axis")
tensors = [Tensor((3, 4), "bool"), Tensor((1,), "int32", [1])]
model = single_op("REDUCE_ALL", tensors, [Tensor((4,), "bool")])
cases.add("refused: shape", model, error="should have the dimensions")


@cases.parametrize
def test_reduce_all(case):
    case.check()
