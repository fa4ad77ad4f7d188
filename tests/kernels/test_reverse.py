# Tests of REVERSE_V2 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool")
cases = Cases()


# A REVERSE_V2 of a shape along axes.
def add(name, shape, axes, dtype, wheel=True):
    add_move(
        cases,
        name,
        "REVERSE_V2",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.flip(x, axes),
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor((len(axes),), "int32", axes)],
    )


for dtype in DTYPES:
    add(f"{dtype} last", (3, 4, 5), (2,), dtype)
    add(f"{dtype} middle", (3, 4, 5), (1,), dtype)
    add(f"{dtype} all", (3, 4, 5), (2, 0, 1), dtype)
random = generator("reverse")
for number in range(18):
    rank = int(random.integers(1, 7))
    shape = tuple(int(n) for n in random.integers(1, 5, rank))
    first = int(random.integers(0, rank))
    axes = list(range(first, int(random.integers(first + 1, rank + 1))))
    axes = [axis - rank * int(random.integers(0, 2)) for axis in axes]
    add(f"sweep {number} {shape} {axes}", shape, tuple(axes), WHEEL[number % len(WHEEL)])
add("vector", (77,), (0,), "int8")
add("apart", (3, 4, 5), (0, 2), "int8", wheel=False)
add("7 dimensions", (1, 2, 1, 2, 3, 1, 2), (4, 6), "int8", wheel=False)
add("no axis", (3, 4), (), "int8", wheel=False)
add("empty", (0, 4), (1,), "int8", wheel=False)


# Models that must be refused.
def refuse(name, error, axes=(1,), output=(3, 4), dtype="int8", axes_dtype="int32"):
    axes = Tensor((2,) if axes is None else (len(axes),), axes_dtype, axes)
    model = single_op("REVERSE_V2", [tensor((3, 4), "int8"), axes], [tensor(output, dtype)])
    cases.add(f"refused: {name}", model, error=error)


refuse("axis", "does not exist", (2,))
refuse("axis from the end", "does not exist", (-3,))
refuse("axis twice", "given twice", (1, -1))
refuse("not constant", "must be constant", None)
refuse("axis of int64", "must be int32", axes_dtype="int64")
refuse("shape", "should have shape", output=(4, 3))
refuse("type", "differ in type", dtype="uint8")


@cases.parametrize
def test_reverse(case):
    case.check()
