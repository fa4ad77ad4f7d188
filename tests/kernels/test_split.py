# Tests of SPLIT against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "int16", "float32", "int32")
cases = Cases()


# A SPLIT in `count` equal parts.
def add(name, shape, axis, count, dtype, wheel=True, axis_shape=(), axis_dtype="int32"):
    add_move(
        cases,
        name,
        "SPLIT",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.split(x, count, axis),
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor(axis_shape, axis_dtype, axis)],
        constants_first=True,
        num_splits=count,
    )


for dtype in DTYPES:
    add(f"{dtype} channels", (2, 3, 6), 2, 3, dtype)
for axis in range(-4, 4):
    add(f"axis {axis}", (2, 4, 2, 6), axis, 2, "int8")
random = generator("split")
for number in range(12):
    rank = int(random.integers(1, 6))
    shape = [int(n) for n in random.integers(1, 5, rank)]
    axis, count = int(random.integers(-rank, rank)), int(random.integers(1, 5))
    shape[axis] *= count
    add(f"sweep {number} {shape} axis {axis} in {count}", shape, axis, count, WHEEL[number % 4])
add("one part", (3, 4), 1, 1, "int8")
add("15 parts", (2, 15), 1, 15, "int8")
add("axis is a vector", (3, 4), 1, 2, "int8", axis_shape=(1,))
add("axis is int64", (3, 4), 1, 2, "int8", wheel=False, axis_dtype="int64")
add("7 dimensions", (1, 2, 1, 2, 1, 2, 2), 3, 2, "int8", wheel=False)
add("empty", (0, 4), 1, 2, "int8", wheel=False)


# Models that must be refused.
def refuse(name, error, axis=1, outputs=((2, 2), (2, 2)), dtype="int8", axis_shape=()):
    inputs = [Tensor(axis_shape, "int32", axis), tensor((2, 4), "int8")]
    model = single_op("SPLIT", inputs, [tensor(shape, dtype) for shape in outputs], num_splits=2)
    cases.add(f"refused: {name}", model, error=error)


refuse("axis", "axis 2 does not exist", axis=2)
refuse("two axes", "2 axes", axis=(0, 1), axis_shape=(2,))
refuse("axis not constant", "must be constant", axis=None)
refuse("parts", "3 equal parts", outputs=[(2, 1)] * 3)
refuse("second output", "should have shape", outputs=[(2, 2), (2, 3)])
refuse("output rank", "should have shape", outputs=[(2, 2, 1), (2, 2)])
refuse("output type", "differ in type", dtype="uint8")


@cases.parametrize
def test_split(case):
    case.check()
