# Tests of PACK against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor, values
from support.single_op import single_op

WHEEL = ("int8", "int16", "float32", "int32", "int64")
cases = Cases()


# A PACK of `count` tensors of a shape; tensors whose index is in `constant` are constants.
def add(name, shape, count, axis, dtype, wheel=True, constant=(), again=0):
    inputs = [
        tensor(shape, dtype, values(f"{name} {i}", shape, dtype) if i in constant else None)
        for i in range(count)
    ]
    inputs += inputs[:again]
    add_move(
        cases,
        name,
        "PACK",
        inputs,
        dtype,
        lambda *arrays: np.stack(arrays, axis),
        wheel=wheel and dtype in WHEEL,
        axis=axis,
        values_count=len(inputs),
    )


for dtype in DTYPES:
    add(f"{dtype} first", (2, 3), 3, 0, dtype)
    add(f"{dtype} last", (2, 3), 3, 2, dtype)
for axis in range(-4, 4):
    add(f"axis {axis}", (2, 3, 2), 2, axis, "int8")
random = generator("pack")
for number in range(12):
    rank = int(random.integers(0, 5))
    shape = tuple(int(n) for n in random.integers(1, 5, rank))
    axis, count = int(random.integers(-rank - 1, rank + 1)), int(random.integers(1, 6))
    add(f"sweep {number} {count} of {shape} axis {axis}", shape, count, axis, WHEEL[number % 5])
add("scalars", (), 4, 0, "int32")
add("constants", (2, 3), 3, 1, "int8", constant=(1, 2))
add("constant words", (2,), 3, 1, "float32", constant=(0, 1))
add("same input twice", (2, 3), 2, 1, "int16", again=2)
add("empty", (0, 3), 2, 1, "int8", wheel=False)
add("7 dimensions", (1, 2, 1, 2, 1, 2, 2), 2, 4, "int8", wheel=False)


# Models that must be refused.
def refuse(
    name, error, shapes=((2, 3), (2, 3)), output=(2, 2, 3), dtypes=("int8",) * 3, **options
):
    inputs = [tensor(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=False)]
    options.setdefault("values_count", 2)
    model = single_op("PACK", inputs, [tensor(output, dtypes[2])], **options)
    cases.add(f"refused: {name}", model, error=error)


refuse("axis", "axis 3 does not exist", axis=3)
refuse("count", "2 inputs but packs 3", values_count=3)
refuse("shapes differ", "should have shape", shapes=((2, 3), (3, 2)))
refuse("output shape", "should have shape", output=(2, 3, 2))
refuse("types differ", "differ in type", dtypes=("int8", "uint8", "int8"))
refuse("output type", "differ in type", dtypes=("int8", "int8", "int16"))


@cases.parametrize
def test_pack(case):
    case.check()
