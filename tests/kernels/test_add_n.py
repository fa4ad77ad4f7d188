# Tests of ADD_N against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()


# `constant`: indices of constant inputs.
def add_n(name, dtype, shape, count, constant=()):
    random = generator(name)
    keywords = [{}, {}]
    if dtype == "int8":
        keywords = []
        for _ in range(2):
            zero_point = int(random.choice([-128, 127, 0, *random.integers(-128, 128, 3)]))
            keywords.append({"scale": float(random.uniform(0.5, 2)), "zero_point": zero_point})
    inputs = []
    for i in range(count):
        data = random.integers(-128, 128, shape) if i in constant else None
        inputs.append(Tensor(shape, dtype, data, **keywords[0]))
    return single_op("ADD_N", inputs, [Tensor(shape, dtype, **keywords[1])])


for dtype in ("float32", "int8"):
    for shape, count in [
        ((), 2),
        ((5,), 3),
        ((1, 9, 7, 5), 2),
        ((300,), 4),
        ((2, 3, 2, 3, 2, 3), 3),
        ((17,), 12),
        ((150,), 8),
        ((150,), 16),
        ((150,), 17),
    ]:
        name = f"{dtype} {count} of {shape}"
        cases.add(name, add_n(name, dtype, shape, count))
        name += " with constants"
        cases.add(name, add_n(name, dtype, shape, count, (count // 2,)), "random")
    name = f"{dtype} empty"
    empty = np.zeros((0, 3))
    cases.add(name, add_n(name, dtype, (0, 3), 2), [[empty] * 2], expected=[[empty]])
    keywords = {"scale": 1.0, "zero_point": 3} if dtype == "int8" else {}
    x, y = Tensor((40,), dtype, **keywords), Tensor((4, 10), dtype, **keywords)
    cases.add(
        f"{dtype} same tensor", single_op("ADD_N", [x, x, x], [Tensor((40,), dtype, **keywords)])
    )
    cases.add(f"{dtype} shapes", single_op("ADD_N", [x, y], [x]), error="differ in shape")
    cases.add(f"{dtype} one input", single_op("ADD_N", [x], [x]), error="2 inputs")

# Sums wrap around; nothing is clamped.
random = generator("magnitudes")
inputs = random.integers(0, 1 << 32, (3, 400), np.uint32).view(np.float32)
inputs[:, :3] = [[3e38, -3e38, np.inf], [3e38, -3e38, 1], [1, 2, 3]]
cases.add(
    "float32 of all magnitudes", add_n("", "float32", (400,), 3), [list(inputs)], slices=(61,)
)

# Every scale of the output that TFLM supports.
for ratio in (1e-5, 0.1, 0.9, 1.0, 2.0, 7.3, 400.0, 1e9):
    tensors = [Tensor((256,), "int8", scale=0.5, zero_point=-9) for _ in range(3)]
    y = Tensor((256,), "int8", scale=0.5 * ratio, zero_point=5)
    cases.add(f"int8 ratio {ratio}", single_op("ADD_N", tensors, [y]))
x, y = (Tensor((4,), "int8", scale=s, zero_point=0) for s in (0.5, 0.6))
cases.add("int8 scales", single_op("ADD_N", [x, y], [x]), error="quantization")
x, y = (Tensor((4,), "int8", scale=s, zero_point=0) for s in (1e6, 0.6))
cases.add("int8 output scale", single_op("ADD_N", [x, x], [y]), error="a scale far below")


@cases.parametrize
def test_add_n(case):
    case.check()
