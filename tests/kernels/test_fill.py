# Tests of FILL and ZEROS_LIKE against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import DTYPES, tensor, values
from support.single_op import Tensor, single_op

FILL_WHEEL = ("int8", "float32", "int32")
ZEROS_WHEEL = ("int8", "float32", "int32", "int64")
cases = Cases()


# FILL with a value that is an input, or a constant.
def add(name, shape, dtype, index_dtype="int32", constant=False):
    name = f"FILL {dtype} {name}"
    value = values(name, (), dtype)
    model = single_op(
        "FILL",
        [
            Tensor((len(shape),), index_dtype, shape),
            tensor((), dtype, value if constant else None),
        ],
        [tensor(shape, dtype)],
    )
    wheel = dtype in FILL_WHEEL and np.prod(shape) and len(shape)
    expected = None if wheel else [[np.full(shape, value)]]
    cases.add(name, model, inputs=[[] if constant else [value]], expected=expected)


for dtype in DTYPES:
    add("picture", (2, 3, 5, 7), dtype)
    add("one", (1,), dtype)
    add("constant", (3, 3), dtype, constant=True)
    add("nothing", (2, 0), dtype)
    x = values(dtype, (2, 3, 7), dtype)
    model = single_op("ZEROS_LIKE", [tensor((2, 3, 7), dtype)], [tensor((2, 3, 7), dtype)])
    expected = None if dtype in ZEROS_WHEEL else [[np.zeros((2, 3, 7))]]
    cases.add(f"ZEROS_LIKE {dtype}", model, inputs=[[x]], expected=expected)
for index_dtype in ("int8", "int16", "int64"):
    add(f"shape of {index_dtype}", (3, 2, 4), "int8", index_dtype)
for length in range(1, 25):
    add(f"length {length}", (length,), "int8")
add("scalar", (), "float32")
add("7 dimensions", (1, 2, 1, 2, 1, 2, 3), "int32")
for shape in [(), (1,), (35,)]:
    model = single_op("ZEROS_LIKE", [Tensor(shape, "int8")], [Tensor(shape, "int8")])
    cases.add(f"ZEROS_LIKE {shape}", model)


# Models that must be refused.
def refuse(name, error, shape=(2, 3), value=(), dtype="int8", index_dtype="int32", output=(2, 3)):
    sizes = Tensor((2,), index_dtype, shape)
    model = single_op("FILL", [sizes, tensor(value, "int8")], [tensor(output, dtype)])
    cases.add(f"refused: {name}", model, error=error)


refuse("shape", "should have shape", (2, 4))
refuse("rank", "should have shape", output=(2, 3, 1))
refuse("negative", "should have shape", (-2, -3))
refuse("value of rank 1", "should be a scalar", value=(1,))
refuse("types", "differ in type", dtype="int16")
refuse("shape not constant", "not constant", None)
refuse("shape of float32", "must be", index_dtype="float32")
model = single_op("ZEROS_LIKE", [Tensor((2,), "int8")], [Tensor((2,), "int16")])
cases.add("refused: ZEROS_LIKE type", model, error="differ in type")
model = single_op("ZEROS_LIKE", [Tensor((2,), "int8")], [Tensor((3,), "int8")])
cases.add("refused: ZEROS_LIKE shape", model, error="should have shape")


@cases.parametrize
def test_fill(case):
    case.check()
