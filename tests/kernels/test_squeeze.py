# Tests of SQUEEZE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.copying_ops import DTYPES, add_move, tensor
from support.single_op import single_op

cases = Cases()


# A SQUEEZE of `axes`, or of all dimensions of 1.
def add(name, shape, output, axes, dtype, wheel=True):
    options = {} if axes is None else {"squeeze_dims": list(axes)}
    add_move(
        cases,
        name,
        "SQUEEZE",
        [tensor(shape, dtype)],
        dtype,
        lambda x: x.reshape(output),
        wheel=wheel,
        **options,
    )


for dtype in DTYPES:
    add(f"{dtype} one axis", (2, 1, 3, 1), (2, 3, 1), (1,), dtype)
add("all", (1, 2, 1, 3, 1), (2, 3), (), "int8")
add("no options", (1, 2, 1, 3, 1), (2, 3), None, "int8")
add("two axes", (1, 2, 1, 3, 1), (2, 1, 3), (0, 4), "int16")
add("negative axes", (1, 2, 1, 3, 1), (1, 2, 3), (-1, -3), "float32")
add("same axis twice", (1, 2, 1), (2, 1), (0, -3), "int8")
add("nothing to do", (2, 3), (2, 3), (), "int8")
add("to scalar", (1, 1), (), (), "float32")
add("scalar", (), (), (), "int8")
add("8 dimensions", (1, 2, 1, 2, 1, 2, 1, 2), (2, 2, 2, 2), (), "int8")
add("1 left at the end", (2, 1), (2, 1), (), "int8")
add("empty", (1, 0, 2), (0, 2), (0,), "int8", wheel=False)


# Models that must be refused.
def refuse(name, shape, output, axes, error, dtype="int8"):
    model = single_op(
        "SQUEEZE", [tensor(shape, "int8")], [tensor(output, dtype)], squeeze_dims=list(axes)
    )
    cases.add(f"refused: {name}", model, error=error)


refuse("not 1", (2, 1, 3), (2, 3), (0,), "cannot lose dimension 0")
refuse("axis too large", (2, 1), (2,), (2,), "axis 2 does not exist")
refuse("axis too small", (2, 1), (2,), (-3,), "axis -3 does not exist")
refuse("output shape", (2, 1, 3), (3, 2), (1,), "should have shape")
refuse("output too short", (2, 1, 3), (6,), (1,), "should have shape")
refuse("another type", (2, 1), (2,), (1,), "differ in type", dtype="uint8")


@cases.parametrize
def test_squeeze(case):
    case.check()
