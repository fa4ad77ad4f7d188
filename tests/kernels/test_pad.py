# Tests of PAD and PADV2 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import add_move, generator, tensor, values
from support.single_op import Tensor, single_op

DTYPES = ("int8", "uint8", "bool", "int16", "float32", "int32", "uint32")
WHEEL = ("int8", "int16", "float32", "int32")
cases = Cases()


# The zero points of int8 and uint8 in tensor(), which are their paddings.
def zero(dtype):
    return {"int8": -3, "uint8": 128}.get(dtype, 0)


# PAD with pairs of paddings.
def add(name, shape, paddings, dtype, wheel=True, index_dtype="int32", data=None):
    add_move(
        cases,
        name,
        "PAD",
        [tensor(shape, dtype, data)],
        dtype,
        lambda x: np.pad(x, paddings, constant_values=zero(dtype)) if shape else x,
        wheel=wheel and dtype in WHEEL,
        constants=[Tensor((len(paddings), 2), index_dtype, paddings)],
    )


# PADV2: the value is a constant of the model, or an input.
def add_v2(name, shape, paddings, dtype, value=None, value_shape=(), wheel=True, operator="PADV2"):
    given = value is None
    data = values(f"{name} value", value_shape, dtype) if given else np.full(value_shape, value)
    value_tensor = tensor(value_shape, dtype, None if given else data)
    x = values(name, shape, dtype)
    output = np.pad(x, paddings, constant_values=data.reshape(-1)[0])
    model = single_op(
        operator,
        [tensor(shape, dtype), Tensor((len(paddings), 2), "int32", paddings), value_tensor],
        [tensor(output.shape, dtype)],
    )
    inputs = [[x, data] if given else [x]]
    expected = None if wheel and dtype in WHEEL else [[output]]
    cases.add(name, model, inputs=inputs, expected=expected)


for dtype in DTYPES:
    add(f"{dtype} image", (1, 4, 3, 5), [(0, 0), (1, 2), (2, 1), (0, 0)], dtype)
    add(f"{dtype} all sides", (2, 2, 3, 3), [(1, 0), (0, 2), (2, 1), (3, 1)], dtype)
    add_v2(f"{dtype} constant value", (2, 3, 3), [(1, 1), (0, 1), (2, 0)], dtype, value=1)
    add_v2(f"{dtype} value of a vector", (5,), [(1, 3)], dtype, value=1, value_shape=(1,))
    add_v2(f"{dtype} value is an input", (2, 3, 3), [(1, 1), (0, 1), (2, 0)], dtype)
random = generator("pad")
for number in range(24):
    rank = int(random.integers(1, 6))
    shape = tuple(int(n) for n in random.integers(1, 5, rank))
    paddings = random.integers(0, 4, (rank, 2)) * random.integers(0, 2, (rank, 2))
    add(f"sweep {number} {shape}", shape, paddings.tolist(), WHEEL[number % 4])
for paddings in [[(0, 0), (0, 0)], [(2, 0), (0, 0)], [(0, 2), (0, 0)], [(0, 0), (5, 0)]]:
    add(f"one side {paddings}", (3, 7), paddings, "int8")
add("channels", (1, 3, 3, 5), [(0, 0), (0, 0), (0, 0), (2, 9)], "int8")
add("long rows", (3, 150), [(1, 1), (33, 70)], "int8")
add("long aligned rows", (3, 160), [(1, 1), (32, 64)], "int8")
add("7 dimensions", (1, 2, 1, 2, 1, 2, 2), [(0, 1), (1, 0)] * 3 + [(1, 1)], "int8", wheel=False)
add("int64 paddings", (3, 4), [(1, 0), (2, 3)], "int8", wheel=False, index_dtype="int64")
add("scalar", (), np.zeros((0, 2), int), "int8", wheel=False)
add("empty to empty", (0, 3), [(0, 0), (1, 1)], "int8", wheel=False)
add("empty to something", (0, 3), [(1, 2), (1, 1)], "int16", wheel=False)
add_v2("PAD with a value", (2, 3), [(1, 1), (0, 1)], "int8", value=7, operator="PAD")
cases.add(
    "PADV2 without a value",
    single_op(
        "PADV2",
        [tensor((3,), "int8"), Tensor((1, 2), "int32", [(1, 2)])],
        [tensor((6,), "int8")],
    ),
)
for zero_point in (-128, 0, 127):
    quantized = {"scale": 0.5, "zero_point": zero_point}
    cases.add(
        f"zero point {zero_point}",
        single_op(
            "PAD",
            [Tensor((3,), "int8", **quantized), Tensor((1, 2), "int32", [(1, 2)])],
            [Tensor((6,), "int8", **quantized)],
        ),
    )
cases.add(
    "zero points of input and output differ",
    single_op(
        "PAD",
        [
            Tensor((3,), "int8", scale=0.5, zero_point=4),
            Tensor((1, 2), "int32", [(1, 2)]),
        ],
        [Tensor((6,), "int8", scale=0.5, zero_point=-9)],
    ),
)
cases.add(
    "int8 without quantization",
    single_op(
        "PAD",
        [Tensor((3,), "int8"), Tensor((1, 2), "int32", [(1, 2)])],
        [Tensor((6,), "int8")],
    ),
)


# Models that must be refused.
def refuse(name, paddings, error, output=(6, 3), dtype="int8", value=None, shape=None):
    inputs = [tensor((3, 3), "int8"), Tensor(shape or np.shape(paddings), "int32", paddings)]
    if shape:
        inputs[1] = Tensor(shape, "int32")
    if value:
        inputs.append(value)
    model = single_op("PADV2" if value else "PAD", inputs, [tensor(output, dtype)])
    cases.add(f"refused: {name}", model, error=error)


good = [(1, 2), (0, 0)]
refuse("output shape", good, "should have shape", output=(7, 3))
refuse("output rank", good, "should have shape", output=(6, 3, 1))
refuse("too few paddings", [(1, 2)], "2 paddings")
refuse("too many paddings", [(1, 2)] * 3, "6 paddings")
refuse("negative padding", [(4, -1), (0, 0)], "negative")
refuse("output type", good, "differ in type", dtype="int16")
refuse("paddings not constant", None, "must be constant", shape=(2, 2))
refuse("value type", good, "must be int8", value=tensor((), "int16", 1))
refuse("two values", good, "one element", value=tensor((2,), "int8", (1, 2)))
refuse(
    "value quantized otherwise",
    good,
    "should have the quantization",
    value=Tensor((), "int8", 1, scale=0.5, zero_point=0),
)
cases.add(
    "refused: int64",
    single_op(
        "PAD", [Tensor((1,), "int64"), Tensor((1, 2), "int32", [(1, 0)])], [Tensor((2,), "int64")]
    ),
    error="type int64 is not supported",
)


@cases.parametrize
def test_pad(case):
    case.check()
