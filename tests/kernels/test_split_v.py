# Tests of SPLIT_V against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, add_move, generator, tensor
from support.single_op import Tensor, single_op

WHEEL = ("int8", "int16", "float32", "int32")
cases = Cases()


# A SPLIT_V in parts of `sizes`; `given` are the sizes in the model.
def add(name, shape, axis, sizes, dtype, wheel=True, given=None, sizes_dtype="int32"):
    add_move(
        cases,
        name,
        "SPLIT_V",
        [tensor(shape, dtype)],
        dtype,
        lambda x: np.split(x, np.cumsum(sizes)[:-1], axis),
        wheel=wheel and dtype in WHEEL,
        constants=[
            Tensor((len(sizes),), sizes_dtype, given or sizes),
            Tensor((), "int32", axis),
        ],
        num_splits=len(sizes),
    )


for dtype in DTYPES:
    add(f"{dtype} channels", (2, 3, 9), 2, (1, 5, 3), dtype)
for axis in range(-3, 3):
    add(f"axis {axis}", (6, 6, 6), axis, (4, 2), "int8")
random = generator("split_v")
for number in range(12):
    rank = int(random.integers(1, 6))
    shape = [int(n) for n in random.integers(1, 5, rank)]
    axis = int(random.integers(-rank, rank))
    sizes = [int(n) for n in random.integers(1, 5, int(random.integers(1, 5)))]
    shape[axis] = sum(sizes)
    add(f"sweep {number} {shape} axis {axis} {sizes}", shape, axis, sizes, WHEEL[number % 4])
add("size of -1", (2, 7), 1, (2, 4, 1), "int8", given=(2, -1, 1))
add("int64 sizes", (2, 7), 1, (2, 5), "int8", sizes_dtype="int64")
add("an empty part", (2, 7), 1, (2, 0, 5), "int8", wheel=False)
cases.add(
    "sizes are computed",
    single_op(
        "SPLIT_V",
        [tensor((7,), "int8"), Tensor((2,), "int32"), Tensor((), "int32", 0)],
        [tensor((3,), "int8"), tensor((4,), "int8")],
        num_splits=2,
    ),
    inputs="random",
)


# Models that must be refused.
def refuse(name, error, axis=1, sizes=(1, 3), outputs=((2, 1), (2, 3)), dtype="int8"):
    inputs = [
        tensor((2, 4), "int8"),
        Tensor((len(sizes),), "int32", sizes),
        Tensor((), "int32", axis),
    ]
    model = single_op("SPLIT_V", inputs, [tensor(shape, dtype) for shape in outputs], num_splits=2)
    cases.add(f"refused: {name}", model, error=error)


refuse("axis", "axis -3 does not exist", axis=-3)
refuse("axis not constant", "must be constant", axis=None)
refuse("sum", "of the 4 along axis 1", outputs=[(2, 1), (2, 2)])
refuse("sizes", "sizes .1, 3. instead of .2, 2.", sizes=(2, 2))
refuse("number of sizes", "instead of", sizes=(1, 2, 1))
refuse("other dimension", "should have shape", outputs=[(2, 1), (3, 3)])
refuse("output rank", "wrong rank", outputs=[(2, 1, 1), (2, 3)])
refuse("output type", "differ in type", dtype="uint8")


@cases.parametrize
def test_split_v(case):
    case.check()
