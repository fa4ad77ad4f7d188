# Tests of CAST against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.copying_ops import values
from support.single_op import Tensor, single_op

INPUTS = ("float32", "int8", "int16", "int32", "uint32", "bool")  # types that TFLM supports
OUTPUTS = ("int8", "int16", "int32", "uint32", "float32")
MORE = ("uint8", "int64")
cases = Cases()

FLOATS = [0.0, -0.0, 0.5, -0.5, 0.99999994, -0.99999994, 1.0, -1.0, 1.5, -1.5, 127.9, -128.9]
FLOATS += [255.0, 256.5, 300.7, -300.7, 32767.0, 32768.0, 65535.9, 65536.0, -65537.0, 1e-40, 1e9]
FLOATS += [2147483520.0, -2147483648.0, 16777217.0, -16777219.0, 8388607.5, 4194303.75]
# Numbers that fit no integer type.
LARGE = [2147483648.0, 4294967040.0, -2147483904.0, 1e20, -1e20, np.inf, -np.inf, np.nan]


# Values around the limits of a type, and random ones.
def samples(name, dtype):
    if dtype == "float32":
        random = values(name, (60,), dtype) * np.float32(1000)
        return np.concatenate([np.float32(FLOATS), random])
    if dtype == "bool":
        return values(name, (21,), dtype)
    limits = np.iinfo(dtype)
    edges = [limits.min, limits.max, limits.max // 2, limits.max // 2 + 1, 0, 1, limits.max - 1]
    edges += [
        n for n in (255, 256, 2**24 + 1, 2**24 + 3, 2**31 - 65, 2**31 - 64) if n <= limits.max
    ]
    return np.concatenate([np.array(edges).astype(dtype), values(name, (50,), dtype)])


# A CAST of the given values.
def add(name, source, target, x, expected=None):
    model = single_op("CAST", [Tensor(x.shape, source)], [Tensor(x.shape, target)])
    cases.add(f"{source} to {target} {name}", model, inputs=[[x]], expected=expected)


for source in INPUTS + MORE:
    for target in (*OUTPUTS, "bool", *MORE):
        if "float32" in (source, target) and {"int64", "bool"} & {target} - {"float32"}:
            continue
        if (source, target) == ("int64", "float32"):
            continue
        name = f"{source} {target}"
        x = samples(name, source)
        wheel = source in INPUTS and target in OUTPUTS
        expected = None
        if not wheel:
            narrow = np.clip(np.trunc(x), 0, 255) if source == "float32" else x
            expected = [[narrow.astype(target)]]
        add("", source, target, x, expected)
for target in ("int8", "int16", "int32", "uint32"):
    add("large", "float32", target, np.float32(LARGE))
add("5 dimensions", "int8", "float32", values("5", (2, 1, 3, 2, 4), "int8"))
add("scalar", "int32", "int8", np.array(-300))
add("empty", "int32", "int8", np.zeros((0, 3), np.int32), [[np.zeros((0, 3), np.int8)]])
data = values("constant", (40,), "int16")
cases.add(
    "constant", single_op("CAST", [Tensor((40,), "int16", data)], [Tensor((40,), "float32")]), [[]]
)
quantized = [Tensor((30,), "int8", scale=0.1, zero_point=7), Tensor((30,), "float32")]
cases.add("scales are ignored", single_op("CAST", quantized[:1], quantized[1:]))
cases.add(
    "options",
    single_op(
        "CAST",
        [Tensor((3,), "int8")],
        [Tensor((3,), "int16")],
        in_data_type=9,  # codes of the schema
        out_data_type=7,
    ),
)


# Models that must be refused.
def refuse(name, error, source="int8", target="int16", shape=(2,)):
    model = single_op("CAST", [Tensor((2,), source)], [Tensor(shape, target)])
    cases.add(f"refused: {name}", model, error=error)


refuse("elements", "number of elements", shape=(3,))
refuse("float64", "must be", source="float64")
refuse("float16", "must be", target="float16")
refuse("float32 to int64", "is not supported", "float32", "int64")
refuse("float32 to bool", "is not supported", "float32", "bool")


@cases.parametrize
def test_cast(case):
    case.check()
