# Tests of BATCH_MATMUL against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op


# A BATCH_MATMUL of matrices with the shapes `left` and `right`.
def matmul(
    name,
    dtype,
    left=(2, 3),
    right=(3, 4),
    adj_x=False,
    adj_y=False,
    gain=1.0,
    zero_points=(0, 0, 0),
    scales=(0.03, 0.07),
    constant="",
    output=None,
):
    random = generator(name)
    rows, depth = left[-2:][::-1] if adj_x else left[-2:]
    columns = right[-2] if adj_y else right[-1]
    if output is None:
        output = (*np.broadcast_shapes(left[:-2], right[:-2]), rows, columns)
    quantized = [{}, {}, {}]
    if dtype != "float32":
        largest = 70 if dtype == "int8" else 18000
        scale = scales[0] * scales[1] * largest * np.sqrt(max(1, depth)) / gain
        quantized = [
            {"scale": s, "zero_point": z}
            for s, z in zip([*scales, scale], zero_points, strict=True)
        ]

    def tensor(side, shape, quantization):
        values = None
        if side in constant:
            values = random.normal(0, 40, shape)
            values = values if dtype == "float32" else np.clip(np.round(values), -128, 127)
        return Tensor(shape, dtype, values, **quantization)

    return single_op(
        "BATCH_MATMUL",
        [tensor("left", left, quantized[0]), tensor("right", right, quantized[1])],
        [Tensor(output, dtype, **quantized[2])],
        adj_x=adj_x,
        adj_y=adj_y,
    )


cases = Cases()


# Add a case for one type, or for all types; its name is the list of arguments that differ from the
# defaults.
def add(dtypes=("float32", "int8", "int16"), error=None, **parameters):
    for dtype in dtypes:
        name = " ".join([dtype] + [f"{key}={value}" for key, value in parameters.items()])
        given = {"zero_points": (-5, 9, 3)} if dtype == "int8" else {}
        cases.add(
            name,
            lambda n=name, d=dtype, p={**given, **parameters}: matmul(n, d, **p),
            error=error,
            # A target with machine code runs a FULLY_CONNECTED for each batch.
            paths=("tflite", "flat", "armv7em") if dtype == "float32" else ("tflite", "flat"),
        )


# Return the shapes of an operand whose last two dimensions may be exchanged.
def turned(shape, exchanged):
    return (*shape[:-2], shape[-1], shape[-2]) if exchanged else shape


for adj_x in (False, True):
    for adj_y in (False, True):
        for left, right in (
            ((2, 3), (3, 4)),
            ((2, 5, 7), (2, 7, 3)),
            ((1, 1), (1, 1)),
            ((3, 1), (1, 3)),
            ((2, 3, 1, 4, 35), (1, 3, 2, 35, 2)),
        ):
            add(left=turned(left, adj_x), right=turned(right, adj_y), adj_x=adj_x, adj_y=adj_y)
add(left=(1, 70), right=(70, 40))
add(left=(2, 2, 2, 3), right=(3, 4))
add(left=(2, 3), right=(2, 3, 2, 3, 4))
add(left=(3, 1, 2, 3), right=(2, 3, 4))
add(left=(1, 2, 3), right=(4, 3, 2))
add(left=(4, 1, 1, 2, 3), right=(3, 1, 3, 2))
add(constant="right", left=(2, 3, 4), right=(4, 5))
add(constant="right", left=(2, 3, 4), right=(5, 4), adj_y=True)
add(constant="left", left=(4, 4), right=(2, 4, 3), adj_x=True)
# Steps that are too large for the float kernel's loop.
add(("float32",), left=(1, 2), right=(2, 1100))
add(("float32",), left=(2, 1100), right=(3, 2), adj_x=True, adj_y=True)
integers = ("int8", "int16")
add(integers, gain=100.0)
add(integers, gain=1e-3)
add(integers, gain=1e-8)
# The product of the scales is rounded to float32.
for scales in ((0.1, 0.3), (0.7, 0.9), (1e-3, 0.123), (1e-20, 1e-20)):
    add(integers, scales=scales, left=(8, 8), right=(8, 8), gain=3.0)
add(("int8",), zero_points=(-128, 127, 0), left=(3, 40), right=(40, 3))
add(("int8",), zero_points=(127, -128, -128), left=(3, 40), right=(40, 3))
add(("int16",), left=(1, 300), right=(300, 2), gain=0.1)

for number in range(20):
    random = generator(f"batch matmul {number}")
    batches = [int(n) for n in random.integers(1, 4, random.integers(0, 4))]
    rows, depth, columns = (int(n) for n in random.integers(1, 12, 3))
    adj_x, adj_y = (bool(n) for n in random.integers(0, 2, 2))
    one = [n if random.random() < 0.7 else 1 for n in batches]
    other = batches[int(random.integers(0, len(batches) + 1)) :]
    add(
        left=turned((*one, rows, depth), adj_x),
        right=turned((*other, depth, columns), adj_y),
        adj_x=adj_x,
        adj_y=adj_y,
    )

# Invalid models, and features that TFLM lacks.
add(left=(2, 3), right=(4, 2), error="do not fit")
add(left=(2, 2, 3), right=(3, 3, 2), output=(3, 2, 2), error="do not fit")
add(output=(4, 2), error="do not fit")
add(left=(1, 1, 1, 1, 2, 3), right=(3, 2), output=(1, 1, 1, 1, 2, 2), error="6 dimensions")
add(("int16",), zero_points=(1, 0, 0), error="zero point that is not 0")
add(("int8",), scales=(0.0, 1.0), error="scale")


@cases.parametrize
def test_batch_matmul(case):
    case.check()


others = Cases()
same = Tensor((3, 3), "int8", scale=0.1, zero_point=2)
product = Tensor((3, 3), "int8", scale=1.0, zero_point=0)
others.add("the same tensor twice", single_op("BATCH_MATMUL", [same, same], [product], adj_y=True))
for one, other in (("float32", "int16"), ("int8", "int16"), ("int32", "int32")):
    tensors = [Tensor((2, 2), kind, scale=0.1, zero_point=0) for kind in (one, other, one)]
    model = single_op("BATCH_MATMUL", tensors[:2], tensors[2:])
    others.add(f"{one} {other}", model, error="must be")
vector, matrix = (Tensor(shape, "float32") for shape in ((3,), (3, 2)))
model = single_op("BATCH_MATMUL", [vector, matrix], [Tensor((1, 2), "float32")])
others.add("one dimension", model, error="1 dimensions")
# TFLM has no tensors without elements.
EMPTY = np.zeros((0,), np.int8)
for dtype, value in (("float32", 0), ("int8", 3), ("int16", 0)):
    given = {"zero_points": (0, 0, value)}
    for left, right, outputs in (
        ((2, 0), (0, 3), np.full((2, 3), value)),
        ((0, 2), (2, 3), EMPTY),
        ((0, 2, 2), (0, 2, 2), EMPTY),
        ((2, 2), (2, 0), EMPTY),
    ):
        others.add(
            f"{dtype} {left} {right}",
            matmul("", dtype, left, right, **given, scales=(0.1, 0.1), gain=1e-9),
            inputs=[[np.ones(left), np.ones(right)]],
            expected=[[outputs]],
        )


@others.parametrize
def test_operands(case):
    case.check()
