# Tests of TRANSPOSE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import itertools

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "int16", "float32")
cases = Cases()


# A TRANSPOSE of a shape.
def add(name, shape, order, dtype, wheel=None):
    add_move(
        cases,
        name,
        "TRANSPOSE",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.transpose(x, order),
        wheel=dtype in WHEEL if wheel is None else wheel,
        constants=[Tensor((len(order),), "int32", order)],
    )


for dtype in DTYPES:
    add(f"{dtype} matrix", (5, 7), (1, 0), dtype)
    add(f"{dtype} NHWC to NCHW", (2, 3, 4, 5), (0, 3, 1, 2), dtype)
    add(f"{dtype} pixels that stay together", (3, 4, 3), (1, 0, 2), dtype)
for order in itertools.permutations(range(4)):
    add(f"order {order}", (2, 3, 4, 5), order, "int8")
random = generator("transpose")
for number in range(24):
    rank = int(random.integers(1, 6))
    shape = tuple(int(n) for n in random.integers(1, 6, rank))
    order = tuple(int(n) for n in random.permutation(rank))
    add(f"sweep {number} {shape} {order}", shape, order, WHEEL[number % 3])
for shape in [(2, 3, 2, 2, 3, 2), (2, 1, 2, 3, 2, 2, 2, 2)]:
    order = tuple(range(len(shape)))[::-1]
    add(f"{len(shape)} dimensions", shape, order, "int16", wheel=False)
add("long rows of 4 bytes", (9, 40, 4), (1, 0, 2), "int8")
add("long rows of 19 bytes", (9, 5, 19), (1, 0, 2), "int8")
add("empty", (0, 3), (1, 0), "int8", wheel=False)
add("scalar", (), (), "float32", wheel=False)


# Models that must be refused.
def refuse(name, order, error, shape=(2, 3), output=(3, 2), output_dtype="int8"):
    inputs = [tensor(shape, "int8"), Tensor((len(order),), "int32", order)]
    outputs = [tensor(output, output_dtype)]
    cases.add(f"refused: {name}", single_op("TRANSPOSE", inputs, outputs), error=error)


refuse("axis twice", (1, 1), "no permutation")
refuse("axis outside", (0, 2), "no permutation")
refuse("too few axes", (0,), "no permutation")
refuse("output shape", (1, 0), "should have shape", output=(2, 3))
refuse("output type", (1, 0), "differ in type", output_dtype="int16")
cases.add(
    "refused: permutation not constant",
    single_op(
        "TRANSPOSE", [tensor((2, 3), "int8"), Tensor((2,), "int32")], [tensor((3, 2), "int8")]
    ),
    error="must be constant",
)


@cases.parametrize
def test_transpose(case):
    case.check()
