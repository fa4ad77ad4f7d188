# Tests of DYNAMIC_UPDATE_SLICE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, generator, tensor, values
from support.single_op import Tensor, single_op

WHEEL = ("float32", "int8", "int16", "int32")
cases = Cases()


# An update at a start that may be out of range; inputs in `constant` are constants.
def add(name, shape, update, start, dtype, constant=(), wheel=True, index_dtype="int32"):
    name = f"{dtype} {name} {shape} {update} {start} {index_dtype} {constant}"
    arrays = [
        values(f"{name} x", shape, dtype),
        values(f"{name} y", update, dtype),
        np.array(start),
    ]
    tensors = [tensor(shape, dtype), tensor(update, dtype), Tensor((len(shape),), index_dtype)]
    for i in constant:
        tensors[i].data = arrays[i]
    output = arrays[0].copy()
    first = [min(max(0, s), n - m) for s, n, m in zip(start, shape, update, strict=True)]
    output[tuple(slice(f, f + m) for f, m in zip(first, update, strict=True))] = arrays[1]
    inputs = [[array for i, array in enumerate(arrays) if i not in constant]]
    model = single_op("DYNAMIC_UPDATE_SLICE", tensors, [tensor(shape, dtype)])
    wheel = wheel and dtype in WHEEL
    cases.add(name, model, inputs=inputs, expected=None if wheel else [[output]])


for dtype in DTYPES:
    add("", (4, 5, 3), (2, 3, 2), (1, 2, 1), dtype)
    add("rows", (6, 7), (2, 7), (3, 0), dtype)
random = generator("dynamic update slice")
for number in range(20):
    rank = int(random.integers(1, 6))
    shape = tuple(int(n) for n in random.integers(1, 6, rank))
    update = tuple(int(random.integers(1, n + 1)) for n in shape)
    start = tuple(int(random.integers(-3, n + 3)) for n in shape)
    add(
        f"sweep {number}",
        shape,
        update,
        start,
        WHEEL[number % 4],
        index_dtype=("int32", "int64")[number % 2],
    )
for constant in [(0,), (1,), (2,), (0, 2), (1, 2)]:
    add("constant", (5, 6), (2, 3), (2, 9), "int8", constant)
for far in (1 << 31, (1 << 32) + 1, 1 << 62):
    add("far", (5, 6), (2, 3), (far, -far), "int8", index_dtype="int64")
add("everything", (3, 4), (3, 4), (7, -1), "int8")
add("nothing", (3, 4), (0, 2), (1, 1), "int8", wheel=False)
add("of nothing", (0, 4), (0, 2), (1, 1), "int8", wheel=False)
add("scalar", (), (), (), "int8", wheel=False)
add(
    "7 dimensions",
    (2, 3, 1, 2, 2, 1, 3),
    (1, 2, 1, 2, 1, 1, 2),
    (1, 1, 0, 0, 1, 0, 1),
    "int8",
    wheel=False,
)
x = tensor((3, 4), "int8")
model = single_op("DYNAMIC_UPDATE_SLICE", [x, x, Tensor((2,), "int32")], [tensor((3, 4), "int8")])
cases.add("same tensor", model)


# Models that must be refused.
def refuse(
    name,
    error,
    update=(2, 3),
    starts=(2,),
    output=(4, 5),
    dtypes=("int8", "int8", "int32", "int8"),
):
    shapes = ((4, 5), update, starts)
    tensors = [tensor(s, d) for s, d in zip(shapes, dtypes, strict=False)]
    model = single_op("DYNAMIC_UPDATE_SLICE", tensors, [tensor(output, dtypes[3])])
    cases.add(f"refused: {name}", model, error=error)


refuse("output", "should have shape", output=(4, 6))
refuse("too large", "does not fit into", (2, 6))
refuse("rank", "does not fit into", (2,))
refuse("rank above", "does not fit into", (1, 2, 3))
refuse("starts", "should have 2 entries", starts=(3,))
refuse("start of float32", "must be int32 or int64", dtypes=("int8", "int8", "float32", "int8"))
refuse("types", "differ in type", dtypes=("int8", "int16", "int32", "int8"))
refuse("output type", "differ in type", dtypes=("int8", "int8", "int32", "int16"))


@cases.parametrize
def test_dynamic_update_slice(case):
    case.check()
