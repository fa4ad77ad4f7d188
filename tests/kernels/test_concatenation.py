# Tests of CONCATENATION against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor, values
from support.single_op import Tensor, single_op

WHEEL = ("int8", "bool", "int16", "float32", "int32", "int64")
cases = Cases()


# A CONCATENATION of tensors of `shapes`; tensors whose index is in `constant` are constants.
def add(name, shapes, axis, dtype, wheel=True, constant=(), again=()):
    inputs = [
        tensor(shape, dtype, values(f"{name} {i}", shape, dtype) if i in constant else None)
        for i, shape in enumerate(shapes)
    ]
    inputs += [inputs[i] for i in again]
    add_move(
        cases,
        name,
        "CONCATENATION",
        inputs,
        dtype,
        lambda *arrays: np.concatenate(arrays, axis),
        wheel=wheel and dtype in WHEEL,
        axis=axis,
    )


for dtype in DTYPES:
    add(f"{dtype} channels", [(2, 3, 4), (2, 3, 1), (2, 3, 7)], 2, dtype)
    add(f"{dtype} rows", [(2, 3), (1, 3)], 0, dtype)
for axis in range(-4, 4):
    shapes = [[2, 3, 2, 5], [2, 3, 2, 5]]
    shapes[1][axis] = 4
    add(f"axis {axis}", shapes, axis, "int8")
random = generator("concatenation")
for number in range(16):
    rank = int(random.integers(1, 6))
    shape = [int(n) for n in random.integers(1, 5, rank)]
    axis = int(random.integers(-rank, rank))
    shapes = []
    for _ in range(int(random.integers(1, 6))):
        shapes.append([*shape])
        shapes[-1][axis] = int(random.integers(1, 10))
    add(f"sweep {number} {shapes} axis {axis}", shapes, axis, WHEEL[number % len(WHEEL)])
add("10 inputs", [(2, n + 1) for n in range(10)], 1, "int8")
add("14 inputs", [(2, n + 1) for n in range(14)], 1, "int8", wheel=False)
add("one input", [(3, 4)], 1, "float32")
add("constant inputs", [(2, 5), (2, 3), (2, 2)], 1, "int8", constant=(0, 2))
add("constant words", [(2, 5), (2, 3), (2, 2)], 1, "float32", constant=(0, 1))
add("same input twice", [(2, 5), (2, 3)], 1, "int16", again=(0,))
add("an empty input", [(2, 0), (2, 3)], 1, "int8", wheel=False)
add("an empty constant", [(2, 0), (2, 3)], 1, "int8", wheel=False, constant=(0,))
add("all empty", [(0, 2), (0, 3)], 1, "int8", wheel=False)
add("7 dimensions", [(1, 2, 1, 2, 1, 2, 2), (1, 2, 1, 2, 3, 2, 2)], 4, "int8", wheel=False)
add("long parts", [(3, 67), (3, 129)], 1, "int8")

# TFLM does not compare the scales of int16.
cases.add(
    "int16 with other scales",
    single_op(
        "CONCATENATION",
        [Tensor((4,), "int16", scale=s, zero_point=0) for s in (0.5, 0.25)],
        [Tensor((8,), "int16", scale=1.0, zero_point=0)],
    ),
)


# Models that must be refused.
def refuse(name, inputs, output, error, **options):
    cases.add(
        f"refused: {name}", single_op("CONCATENATION", inputs, [output], **options), error=error
    )


x = tensor((2, 3), "int8")
refuse(
    "activation", [x, x], tensor((4, 3), "int8"), "activation", fused_activation_function="RELU"
)
refuse("axis", [x, x], tensor((4, 3), "int8"), "axis 2 does not exist", axis=2)
refuse("output shape", [x, x], tensor((2, 6), "int8"), "should have shape", axis=0)
refuse("rank", [x, tensor((2, 3, 1), "int8")], tensor((4, 3), "int8"), "should have 2 dimensions")
refuse("other dimension", [x, tensor((2, 4), "int8")], tensor((4, 3), "int8"), "does not fit")
refuse("type", [x, tensor((2, 3), "uint8")], tensor((4, 3), "int8"), "differ in type")
refuse("output type", [x, x], tensor((4, 3), "int16"), "differ in type")
refuse(
    "scale",
    [x, Tensor((2, 3), "int8", scale=0.5, zero_point=-3)],
    tensor((4, 3), "int8"),
    "unequal quantization",
)
refuse(
    "zero point",
    [x, Tensor((2, 3), "int8", scale=0.25, zero_point=-2)],
    tensor((4, 3), "int8"),
    "unequal quantization",
)
refuse(
    "zero point of int16",
    [Tensor((2,), "int16", scale=0.25, zero_point=1)],
    tensor((2,), "int16"),
    "zero point other than 0",
)
refuse("scalars", [tensor((), "int8")], tensor((1,), "int8"), "axis 0 does not exist")


@cases.parametrize
def test_concatenation(case):
    case.check()
