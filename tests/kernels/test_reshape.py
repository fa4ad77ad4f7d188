# Tests of RESHAPE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

from support.check import Cases
from support.copying_ops import DTYPES, add_move, tensor
from support.single_op import Tensor, single_op

cases = Cases()


# A RESHAPE; `constants` are the tensor with the shape, which is not read.
def add(name, shape, output, dtype, wheel=True, constants=(), **options):
    add_move(
        cases,
        name,
        "RESHAPE",
        [tensor(shape, dtype)],
        dtype,
        lambda x: x.reshape(output),
        wheel=wheel,
        constants=constants,
        **options,
    )


for dtype in DTYPES:
    add(f"{dtype} one input", (2, 3, 5), (6, 5), dtype, new_shape=[6, 5])
    add(
        f"{dtype} two inputs",
        (2, 3, 5),
        (5, 3, 1, 2),
        dtype,
        constants=[Tensor((4,), "int32", (5, 3, 1, -1))],
    )
add("no options", (3, 3), (9,), "int8", options_table="ReshapeOptions")
add("from scalar", (), (1, 1), "float32")
add("to scalar", (1, 1), (), "int8")
add("rank 8", (1, 2, 1, 3, 1, 2, 1, 2), (2, 3, 4), "int16", wheel=False)
add("empty", (0, 3), (3, 0), "int8", wheel=False)
add("long", (1, 9, 111), (999,), "int8")
for length in (1, 3, 4, 5, 15, 16, 17, 31, 32, 33, 63, 64, 65):
    add(f"{length} bytes", (length, 1), (length,), "int8")
cases.add(
    "shape is computed",
    single_op(
        "RESHAPE", [tensor((2, 3), "int8"), Tensor((2,), "int32")], [tensor((3, 2), "int8")]
    ),
    inputs="random",
)


# Models that must be refused.
def refuse(name, output, dtype, error, inputs=1):
    operands = [tensor((2, 3), "int8")] * inputs
    cases.add(
        f"refused: {name}", single_op("RESHAPE", operands, [tensor(output, dtype)]), error=error
    )


refuse("more elements", (7,), "int8", "number of elements")
refuse("fewer elements", (5,), "int8", "number of elements")
refuse("another type", (6,), "uint8", "differ in type")
refuse("unknown dimension", (-1,), "int8", "negative dimension")
refuse("three inputs", (6,), "int8", "3 inputs", inputs=3)
refuse("string", (6,), "string", "differ in type")


@cases.parametrize
def test_reshape(case):
    case.check()
