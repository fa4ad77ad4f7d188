# Tests of UNPACK against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import single_op

WHEEL = ("int8", "int16", "float32", "int32")
cases = Cases()


# An UNPACK along an axis.
def add(name, shape, axis, dtype, wheel=True):
    add_move(
        cases,
        name,
        "UNPACK",
        [tensor(shape, dtype)],
        dtype,
        lambda x: [np.take(x, i, axis) for i in range(shape[axis])],
        wheel=wheel and dtype in WHEEL,
        axis=axis,
        num=shape[axis],
    )


for dtype in DTYPES:
    add(f"{dtype} first", (3, 2, 3), 0, dtype)
    add(f"{dtype} last", (2, 3, 3), 2, dtype)
for axis in range(-4, 4):
    add(f"axis {axis}", (2, 3, 4, 5), axis, "int8")
random = generator("unpack")
for number in range(12):
    rank = int(random.integers(1, 6))
    shape = tuple(int(n) for n in random.integers(1, 6, rank))
    axis = int(random.integers(-rank, rank))
    add(f"sweep {number} {shape} axis {axis}", shape, axis, WHEEL[number % 4])
add("to scalars", (4,), 0, "int16")
add("empty", (0, 3), 1, "int8", wheel=False)
add("7 dimensions", (1, 2, 1, 2, 1, 2, 2), 3, "int8", wheel=False)


# Models that must be refused.
def refuse(name, error, shape=(2, 3), outputs=((3,), (3,)), dtype="int8", **options):
    options.setdefault("num", 2)
    targets = [tensor(output, dtype) for output in outputs]
    model = single_op("UNPACK", [tensor(shape, "int8")], targets, **options)
    cases.add(f"refused: {name}", model, error=error)


refuse("axis", "axis 2 does not exist", axis=2)
refuse("scalar", "axis 0 does not exist", shape=())
refuse("num", "unpacks 3 of 2", num=3)
refuse("outputs", "1 outputs", outputs=((3,),))
refuse("another axis", "unpacks 2 of 3", axis=1)
refuse("output shape", "should have shape", outputs=((3,), (2,)))
refuse("output type", "differ in type", dtype="uint8")


@cases.parametrize
def test_unpack(case):
    case.check()
