# Tests of SQUARED_DIFFERENCE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.binary_cases import EMPTY, MISFITS, SHAPES, binary
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

cases = Cases()

# TFLM broadcasts at most 4 dimensions.
for dtype in ("float32", "int8", "int16", "int32"):
    spread = 2.0 if dtype in ("int8", "int16") else None
    for shapes in SHAPES:
        if shapes[0] == shapes[1] or len(shapes[2]) <= 4:
            name = f"{dtype} {shapes}"
            model = binary(name, "SQUARED_DIFFERENCE", dtype, shapes, spread, dtype == "int8")
            # Slices of one unit are slow for large tensors.
            slices = (1, 3) if np.prod(shapes[2]) < 200 else (37,)
            cases.add(name, model, "random", slices=slices)
    name = f"{dtype} same tensor"
    shapes = ((3, 50),) * 3
    model = binary(name, "SQUARED_DIFFERENCE", dtype, shapes, spread, dtype == "int8", same=True)
    cases.add(name, model, "random")
    name = f"{dtype} empty"
    empty = np.zeros((0, 3)), np.zeros((1, 3))
    model = binary(name, "SQUARED_DIFFERENCE", dtype, EMPTY, spread, dtype == "int8")
    cases.add(name, model, [empty], expected=[[np.zeros((0, 3))]])
    name = f"{dtype} misfit"
    model = binary(name, "SQUARED_DIFFERENCE", dtype, MISFITS[0], spread, dtype == "int8")
    cases.add(name, model, error="do not fit together")

# All scales: the larger one of either input, outputs with smaller and larger steps than the
# square.
for dtype in ("int8", "int16"):
    for i in range(24):
        name = f"{dtype} scales {i}"
        random = generator(name)
        scales = np.exp2(random.uniform(-4, 2, 3))
        largest = np.iinfo(dtype).max * max(scales[:2])
        scales[2] = largest**2 / np.iinfo(dtype).max * np.exp2(random.uniform(-4, 4))
        low = np.iinfo(dtype).min
        zeros = [
            random.choice([low, -low - 1, 0, *random.integers(low, -low, 3)]) for _ in range(3)
        ]
        shapes = ((257,), (257,), (257,)) if i % 2 else ((31, 1), (1, 40), (31, 40))
        scaled = [
            Tensor(shape, dtype, scale=float(s), zero_point=int(z) if dtype == "int8" else 0)
            for shape, s, z in zip(shapes, scales, zeros, strict=True)
        ]
        model = single_op("SQUARED_DIFFERENCE", scaled[:2], scaled[2:])
        cases.add(name, model, runs=2, slices=(50,))

values = generator("float32 magnitudes").integers(0, 1 << 32, (2, 500), np.uint32)
model = binary("float32", "SQUARED_DIFFERENCE", "float32", ((500,),) * 3)
cases.add("float32 of all magnitudes", model, [list(values.view(np.float32))], slices=(61,))
scaled = [Tensor((2,), "int16", scale=1.0, zero_point=z) for z in (0, 1, 0)]
model = single_op("SQUARED_DIFFERENCE", scaled[:2], scaled[2:])
cases.add("int16 zero point", model, error="a zero point")
scaled = [Tensor((2,), "int8", scale=s, zero_point=0) for s in (1e18, 1.0, 1e-18)]
model = single_op("SQUARED_DIFFERENCE", scaled[:2], scaled[2:])
cases.add("output scale too small", model, error="a scale far below")


@cases.parametrize
def test_squared_difference(case):
    case.check()
