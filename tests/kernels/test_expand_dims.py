# Tests of EXPAND_DIMS against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "int16", "float32")
cases = Cases()


# One new dimension at `axis`, given by a tensor of `axis_shape` and `axis_dtype`.
def add(name, shape, axis, dtype, wheel=True, axis_shape=(), axis_dtype="int32"):
    add_move(
        cases,
        name,
        "EXPAND_DIMS",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.expand_dims(x, axis),
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor(axis_shape, axis_dtype, axis)],
    )


for dtype in DTYPES:
    add(f"{dtype} last", (2, 3), 2, dtype)
for axis in range(-4, 4):
    add(f"axis {axis}", (2, 3, 2), axis, "int8")
add("scalar", (), 0, "float32")
add("axis is a vector", (2, 3), 1, "int16", axis_shape=(1,))
add("axis is int64", (2, 3), -1, "int16", wheel=False, axis_dtype="int64")
add("7 dimensions", (1, 2, 1, 2, 1, 2, 1), -1, "int8", wheel=False)
add("empty", (0, 2), 0, "int8", wheel=False)


# Models that must be refused.
def refuse(name, axis, output, error, axis_shape=(), dtype="int8"):
    inputs = [tensor((2, 3), "int8"), Tensor(axis_shape, "int32", axis)]
    model = single_op("EXPAND_DIMS", inputs, [tensor(output, dtype)])
    cases.add(f"refused: {name}", model, error=error)


refuse("axis too large", 3, (2, 3, 1), "axis 3 does not exist")
refuse("axis too small", -4, (1, 2, 3), "axis -4 does not exist")
refuse("two axes", (0, 1), (1, 1, 2, 3), "2 axes", axis_shape=(2,))
refuse("output shape", 0, (2, 1, 3), "should have shape")
refuse("output rank", 0, (2, 3), "should have shape")
refuse("output type", 0, (1, 2, 3), "differ in type", dtype="int16")
refuse("axis not constant", None, (1, 2, 3), "must be constant")


@cases.parametrize
def test_expand_dims(case):
    case.check()
