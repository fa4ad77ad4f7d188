# Tests of ADD against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from kernels.binary_cases import ACTIVATIONS, add_narrow_cases, add_shape_cases, binary
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
for dtype in ("int8", "int16"):
    add_shape_cases(cases, "ADD", dtype, 2.0, activations=True)
    for i in range(16):
        name = f"{dtype} scales {i}"
        spread = (0.1, 2.0, 4.0, 6.5)[i % 4]
        activation = {"fused_activation_function": ACTIVATIONS[i // 4 % 4]}
        shapes = ((257,), (257,), (257,))
        cases.add(name, binary(name, "ADD", dtype, shapes, spread, **activation), runs=3)

# Scales far apart: one input vanishes, or the output is always its zero point.
for first, second, target in [
    (1.0, 1e-9, 1.0),
    (1e-12, 1.0, 0.01),
    (1e-4, 1e-4, 1e5),
    (3e-39, 3e-39, 1e-38),
    (0.5, 0.25, 0.125),
]:
    scaled = [Tensor((256,), "int8", scale=s, zero_point=-7) for s in (first, second, target)]
    cases.add(f"scales {first} {second} {target}", single_op("ADD", scaled[:2], scaled[2:]))
add_narrow_cases(cases, "ADD", 1)

add_shape_cases(cases, "ADD", "int32", activations=True)
name = "int32 quantized"
cases.add(name, binary(name, "ADD", "int32", ((2,),) * 3, 1.0, zero=False), error="a scale")
mixed = [Tensor((2,), "int8", scale=1.0), Tensor((2,), "int16", scale=1.0)]
cases.add("mixed types", single_op("ADD", mixed, mixed[:1]), error="must be int8")
plain = [Tensor((2,), "int8")] * 2
cases.add("no scale", single_op("ADD", plain, [Tensor((2,), "int8")]), error="has no scale")
bools = [Tensor((2,), "bool")] * 2
cases.add("bool", single_op("ADD", bools, [Tensor((2,), "bool")]), error="must be")


@cases.parametrize
def test_add(case):
    case.check()
