# Tests of SUB against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from kernels.binary_cases import ACTIVATIONS, add_narrow_cases, add_shape_cases, binary
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
for dtype in ("int8", "int16"):
    add_shape_cases(cases, "SUB", dtype, 2.0, activations=True)
    for i in range(16):
        name = f"{dtype} scales {i}"
        spread = (0.1, 2.0, 4.0, 6.5)[i % 4]
        activation = {"fused_activation_function": ACTIVATIONS[i // 4 % 4]}
        shapes = ((257,), (257,), (257,))
        cases.add(name, binary(name, "SUB", dtype, shapes, spread, **activation), runs=3)
for first, second, target in [(1.0, 1e-9, 1.0), (1e-12, 1.0, 0.01), (0.1, 0.3, 0.01)]:
    scaled = [Tensor((256,), "int8", scale=s, zero_point=-7) for s in (first, second, target)]
    cases.add(f"scales {first} {second} {target}", single_op("SUB", scaled[:2], scaled[2:]))

add_narrow_cases(cases, "SUB", -1)
scaled = [Tensor((256,), "int16", scale=scale, zero_point=0) for scale in (1.0, 1.0, 1e-9)]
cases.add(
    "int16 narrow", single_op("SUB", scaled[:2], scaled[2:]), error="far below.*quantize again"
)

add_shape_cases(cases, "SUB", "int32", activations=True)
inputs = [Tensor((2,), "int32")] * 2
output = Tensor((2,), "int32", scale=1.0)
cases.add("int32 quantized", single_op("SUB", inputs, [output]), error="a scale")


@cases.parametrize
def test_sub(case):
    case.check()
