# Tests of MUL against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from kernels.binary_cases import ACTIVATIONS, add_shape_cases, binary
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
for dtype in ("int8", "int16"):
    zero = dtype == "int8"
    add_shape_cases(cases, "MUL", dtype, 2.0, zero, activations=True)
    for i in range(16):
        name = f"{dtype} scales {i}"
        spread = (0.1, 2.0, 4.0, 4.5)[i % 4] if zero else (0.1, 0.2, 0.3, 1.0)[i % 4]
        activation = {"fused_activation_function": ACTIVATIONS[i // 4 % 4]}
        shapes = ((257,), (257,), (257,))
        cases.add(name, binary(name, "MUL", dtype, shapes, spread, zero, **activation), runs=3)

# Realistic small outputs, and multipliers that vanish, are one, and shift left.
for dtype, first, second, target in [
    ("int8", 0.01, 0.02, 0.025),
    ("int8", 1e-6, 1e-6, 1.0),
    ("int8", 1.0, 1.0, 1.0),
    ("int8", 4.0, 8.0, 0.001),
    ("int16", 1e-4, 2e-4, 3.1e-4),
    ("int16", 1.0, 0.25, 0.25),
]:
    zero_points = (-128, 127, 5) if dtype == "int8" else (0, 0, 0)
    scaled = [
        Tensor((256,), dtype, scale=s, zero_point=z)
        for s, z in zip((first, second, target), zero_points, strict=True)
    ]
    cases.add(
        f"{dtype} scales {first} {second} {target}", single_op("MUL", scaled[:2], scaled[2:])
    )
scaled = [Tensor((2,), "int16", scale=1.0, zero_point=z) for z in (0, 1, 0)]
cases.add("int16 zero point", single_op("MUL", scaled[:2], scaled[2:]), error="a zero point")
scaled = [Tensor((2,), "int8", scale=s, zero_point=0) for s in (1e9, 1e9, 1e-9)]
cases.add(
    "output scale too small", single_op("MUL", scaled[:2], scaled[2:]), error="a scale far below"
)

add_shape_cases(cases, "MUL", "int32", activations=True)

# Converters give a tensor of zeros a scale of 0, such as the first state of an LSTM.
for dtype, zero_point in (("int8", 3), ("int16", 0)):
    zeros = Tensor((1, 9), dtype, [zero_point] * 9, scale=0.0, zero_point=zero_point)
    given = Tensor((1, 9), dtype, scale=0.01, zero_point=0)
    target = Tensor((1, 9), dtype, scale=0.02, zero_point=zero_point)
    cases.add(f"{dtype} zeros of scale 0", single_op("MUL", [given, zeros], [target]))


@cases.parametrize
def test_mul(case):
    case.check()
