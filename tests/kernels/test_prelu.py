# Tests of PRELU against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

# Shapes of input and alpha: the channel, all but the batch, all dimensions, a scalar, and between.
SHAPES = [
    ((), ()),
    ((5,), (5,)),
    ((2, 3), (1,)),
    ((2, 7), (7,)),
    ((1, 4, 5, 6), (1, 1, 6)),
    ((2, 4, 5, 6), (4, 5, 6)),
    ((2, 3, 2, 19), (1, 2, 1)),
    ((2, 3, 2, 19), (2, 3, 2, 19)),
    ((3, 300), (3, 1)),
]


def prelu(name, dtype, shapes, constant, spread=2.0):
    random = generator(name)
    if dtype == "float32":
        keywords = [{}] * 3
        data = random.normal(0, 1, shapes[1])
    else:
        scales = np.exp2(random.uniform(-spread, spread, 3))
        zeros = [int(random.choice([-128, 127, 0, *random.integers(-128, 128, 3)])) for _ in "123"]
        if dtype == "int16":
            zeros = [0, zeros[1], 0]
        keywords = [
            {"scale": float(s), "zero_point": z} for s, z in zip(scales, zeros, strict=True)
        ]
        data = random.integers(-128, 128, shapes[1])
    kind = "float32" if dtype == "float32" else "int8"
    x = Tensor(shapes[0], dtype, **keywords[0])
    alpha = Tensor(shapes[1], kind, data if constant else None, **keywords[1])
    return single_op("PRELU", [x, alpha], [Tensor(shapes[0], dtype, **keywords[2])])


for dtype in ("float32", "int8", "int16"):
    for i, shapes in enumerate(SHAPES):
        # Slices of one unit are slow for large tensors.
        slices = (1, 3) if np.prod(shapes[0]) < 200 else (37,)
        name = f"{dtype} {shapes}"
        cases.add(name, prelu(name, dtype, shapes, i % 2 == 0), slices=slices)
        name += " other"
        cases.add(name, prelu(name, dtype, shapes, i % 2 == 1), "random", slices=slices)
    for i in range(12 if dtype != "float32" else 0):
        name = f"{dtype} scales {i}"
        spread = (0.5, 3.0, 5.0)[i % 3]
        cases.add(
            name, prelu(name, dtype, ((6, 200), (200,)), i % 2, spread), runs=2, slices=(61,)
        )
    name = f"{dtype} empty"
    inputs = [np.zeros((0, 3))]
    cases.add(name, prelu(name, dtype, ((0, 3), (3,)), True), [inputs], expected=[inputs])
    cases.add(f"{dtype} misfit", prelu(name, dtype, ((2, 3), (2,)), True), error="fit together")

# A NaN stays a NaN and zeros keep their sign for every alpha.
random = generator("magnitudes")
x = random.integers(0, 1 << 32, 400, np.uint32).view(np.float32)
x[:8] = [np.nan, 0.0, -0.0, np.inf, -np.inf, -0.0, 1, -1]
alpha = random.integers(0, 1 << 32, 400, np.uint32).view(np.float32)
alpha[:8] = [1, np.inf, np.inf, np.nan, -1, np.nan, np.nan, np.nan]
model = prelu("magnitudes", "float32", ((400,), (400,)), False)
cases.add("float32 of all magnitudes", model, [[x, alpha]], slices=(61,))

# Multipliers of 2**31: every difference saturates, except for 0. TFLM overflows here.
x = Tensor((4,), "int8", scale=2.0**20, zero_point=5)
alpha = Tensor((4,), "int8", [9, 9, 4, 9], scale=1.0, zero_point=4)
y = Tensor((4,), "int8", scale=2.0**-11, zero_point=-7)
cases.add(
    "left shifts of 31 bits", single_op("PRELU", [x, alpha], [y]),
    inputs=[[[5, 6, 4, 4]]], expected=[[[-7, 127, -7, -128]]],
)  # fmt: skip

x = Tensor((2,), "int16", scale=1.0, zero_point=0)
cases.add("int16 alpha", single_op("PRELU", [x, x], [x]), error="int8")
x = Tensor((2,), "int8", scale=1.0, zero_point=0)
alpha = Tensor((2,), "int8")
cases.add("alpha without scale", single_op("PRELU", [x, alpha], [x]), error="no scale")


@cases.parametrize
def test_prelu(case):
    case.check()
