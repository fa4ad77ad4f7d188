# Tests of AVERAGE_POOL_2D and MAX_POOL_2D on int8 and int16 against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.check import Cases
from support.single_op import Tensor, single_op

cases = Cases()
OPS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")
QUANTIZATION = {"scale": 0.05, "zero_point": 3}


# Return the number of windows along one dimension.
def windows(size, window, stride, padding):
    return -(-size // stride) if padding == "SAME" else max(0, -(-(size - window + 1) // stride))


# A model of one pooling operator; `shape` replaces the correct shape of the output.
def pool(op, x, window, stride, padding, activation="NONE", shape=None, target=None, **keywords):
    batches, height, width, channels = x
    height = windows(height, window[0], stride[0], padding)
    width = windows(width, window[1], stride[1], padding)
    dtype = keywords.pop("dtype", "int8")
    source = Tensor(x, dtype, **{**QUANTIZATION, **keywords})
    target = {**QUANTIZATION, **keywords, **(target or {})}
    return single_op(
        op,
        [source],
        [Tensor(shape or (batches, height, width, channels), dtype, **target)],
        padding=padding,
        stride_h=stride[0],
        stride_w=stride[1],
        filter_height=window[0],
        filter_width=window[1],
        fused_activation_function=activation,
    )


GEOMETRIES = [
    ((1, 4, 4, 3), (2, 2), (2, 2), "VALID"),
    ((2, 5, 7, 3), (2, 2), (2, 2), "SAME"),
    ((2, 5, 7, 4), (3, 3), (1, 1), "SAME"),
    ((2, 6, 5, 8), (3, 2), (2, 2), "SAME"),
    ((1, 6, 5, 2), (3, 2), (2, 3), "VALID"),
    ((1, 6, 5, 2), (2, 4), (3, 1), "SAME"),
    ((1, 25, 5, 64), (25, 5), (25, 5), "VALID"),
    ((3, 4, 4, 5), (9, 9), (1, 1), "SAME"),
    ((1, 3, 3, 1), (1, 1), (2, 2), "SAME"),
    ((1, 3, 3, 1), (1, 1), (5, 5), "VALID"),
    ((1, 1, 9, 2), (1, 3), (1, 2), "SAME"),
    ((1, 7, 3, 1), (4, 3), (1, 1), "VALID"),
    ((1, 40, 40, 1), (40, 40), (1, 1), "VALID"),
]
for op in OPS:
    for geometry in GEOMETRIES:
        cases.add(f"{op} {geometry}", pool(op, *geometry))
        cases.add(f"{op} int16 {geometry}", pool(op, *geometry, dtype="int16", zero_point=0))
    plain = ((1, 5, 5, 3), (2, 3), (1, 2), "SAME")
    for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
        for dtype, quantizations in [
            ("int8", [(0.05, 3), (0.05, -128), (0.01, 127), (30.0, 0)]),
            ("int16", [(0.001, 0), (0.0001, 0)]),
        ]:
            for scale, zero in quantizations:
                model = pool(op, *plain, activation, dtype=dtype, scale=scale, zero_point=zero)
                cases.add(f"{op} {dtype} {activation} {scale} {zero}", model)
    # Nearly equal scales count as equal.
    model = pool(op, *plain, target={"scale": 0.05 + 9e-7})
    cases.add(f"{op} scale nearly the same", model)
    cases.add(f"{op} scale", pool(op, *plain, target={"scale": 0.050002}), error="quantization")
    cases.add(f"{op} zero point", pool(op, *plain, target={"zero_point": 2}), error="quantization")
    cases.add(f"{op} shape", pool(op, *plain, shape=(1, 5, 5, 3)), error=r"shape \[1, 5, 3, 3\]")
    cases.add(f"{op} depth", pool(op, *plain, shape=(1, 5, 3, 2)), error="shape")
    cases.add(f"{op} batch", pool(op, *plain, shape=(2, 5, 3, 3)), error="shape")
    x = Tensor((1, 5, 5, 3), "int8", **QUANTIZATION)
    for sizes in [(0, 1, 1, 1), (1, -1, 1, 1), (1, 1, 0, 1), (1, 1, 1, -2)]:
        names = ("filter_height", "filter_width", "stride_h", "stride_w")
        model = single_op(op, [x], [x], padding="SAME", **dict(zip(names, sizes, strict=True)))
        cases.add(f"{op} window and stride {sizes}", model, error="window")
    model = pool(op, (1, 5, 5, 3), (1, 1), (1 << 30, 1), "SAME", shape=(1, 1, 5, 3))
    cases.add(f"{op} far", model, error=r"a window or stride of \d+ cells")
    x = Tensor((5, 5, 3), "int8", **QUANTIZATION)
    cases.add(f"{op} rank", single_op(op, [x], [x]), error="4 dimensions")
    x = Tensor((1, 5, 5, 3), "uint8", **QUANTIZATION)
    cases.add(f"{op} uint8", single_op(op, [x], [x]), error="must be")
    empty = {"inputs": [[[]]], "expected": [[[]]]}
    cases.add(f"{op} no batch", pool(op, (0, 4, 4, 3), (2, 2), (2, 2), "VALID"), **empty)
    cases.add(f"{op} no channel", pool(op, (1, 4, 4, 0), (2, 2), (2, 2), "VALID"), **empty)
    tall = pool(op, (1, 2, 3, 1), (3, 3), (1, 1), "VALID")
    cases.add(f"{op} window larger than the input", tall, inputs=[[[0] * 6]], expected=[[[]]])

# Sums with all remainders on both sides of zero: 3 cells, values around the zero point.
every = np.arange(-128, 128)
for cells in (2, 3, 4, 7):
    x = np.stack([every] + [np.minimum(every + 1, 127)] + [every] * (cells - 2), 1)
    x = x.reshape(1, 256, cells, 1)
    model = pool("AVERAGE_POOL_2D", x.shape, (1, cells), (1, 1), "VALID")
    cases.add(f"rounding of {cells} cells", model, inputs=[[x], [np.flip(x, 1)]])


# A constant input is stored in the model.
def constant(op):
    model = ModelBuilder("constant")
    x = model.tensor((1, 3, 3, 2), "int8", np.arange(18) * 13 - 110, scale=0.05, zero_point=3)
    unused = model.tensor((1,), "int8", scale=1.0)
    y = model.tensor((1, 2, 2, 2), "int8", scale=0.05, zero_point=3)
    options = {"stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
    model.operator(op, [x], [y], padding="SAME", **options)
    model.io([unused], [y])
    return model.build()


for op in OPS:
    cases.add(f"{op} constant input", constant(op))


@cases.parametrize
def test_pooling(case):
    case.check()
