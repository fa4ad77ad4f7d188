# Tests of TRANSPOSE_CONV against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from kernels.conv_cases import values_of
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

_BIAS = {"float32": "float32", "int8": "int32", "int16": "int64"}


# A TRANSPOSE_CONV with random weights.
def transpose_conv(
    name,
    dtype,
    source=(1, 3, 4, 3),
    filters=4,
    window=(3, 3),
    stride=(2, 2),
    padding="SAME",
    activation="NONE",
    bias="default",
    bias_range=(-3000, 3000),
    per_channel=True,
    gain=1.0,
    zero_points=(0, 0),
    sides=None,
    shape=None,
    scales=None,
    depth=None,
    computed=False,
):
    random = generator(name)
    batches, *in_sides, channels = source
    if sides is None:
        sides = [
            size * step + (max(0, k - step) if padding == "VALID" else 0)
            for size, step, k in zip(in_sides, stride, window, strict=True)
        ]
    kernel = filters, *window, depth or channels
    bias = _BIAS[dtype] if bias == "default" else bias
    numbers = None if bias is None else random.integers(*bias_range, filters, endpoint=True)
    quantized = [{}, {}, {}, {}]
    if dtype == "float32":
        values = random.normal(0, 1, kernel)
        numbers = None if bias is None else numbers * 0.001
    else:
        values = values_of(random, kernel, "int8")
        quantum = 0.05 if dtype == "int8" else 0.0005
        if scales is None:
            scales = 2.0 ** random.uniform(-1, 1, filters if per_channel else 1) * 0.02
        out = quantum * 0.02 * 100 * np.sqrt(channels * 3) / gain
        quantized = [
            {"scale": scales, "zero_point": 0},
            {"scale": quantum, "zero_point": zero_points[0]},
            {"scale": quantum * np.asarray(scales), "zero_point": 0},
            {"scale": out, "zero_point": zero_points[1]},
        ]
    kind = "float32" if dtype == "float32" else "int8"
    tensors = [
        Tensor((4,), "int32", shape or [batches, *sides, filters]),
        Tensor(kernel, kind, None if computed else values, **quantized[0]),
        Tensor(source, dtype, **quantized[1]),
    ]
    if bias is not None:
        tensors.append(Tensor((filters,), bias, numbers, **quantized[2]))
    return single_op(
        "TRANSPOSE_CONV",
        tensors,
        [Tensor((batches, *sides, filters), dtype, **quantized[3])],
        stride_h=stride[0],
        stride_w=stride[1],
        padding=padding,
        fused_activation_function=activation,
    )


cases = Cases()


# Add a case for one type, or for all types; its name is the list of arguments that differ from the
# defaults.
def add(dtypes=("float32", "int8", "int16"), error=None, **parameters):
    for dtype in dtypes:
        name = " ".join([dtype] + [f"{key}={value}" for key, value in parameters.items()])
        given = {"zero_points": (-11, 3)} if dtype == "int8" else {}
        cases.add(
            name,
            lambda n=name, d=dtype, p={**given, **parameters}: transpose_conv(n, d, **p),
            error=error,
        )


add()
add(bias=None)
add(computed=True)
for padding in ("SAME", "VALID"):
    for window, stride in (((1, 1), (1, 1)), ((2, 3), (1, 2)), ((4, 2), (3, 1)), ((2, 2), (3, 4))):
        add(source=(2, 3, 4, 2), filters=3, window=window, stride=stride, padding=padding)
for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
    add(activation=activation, gain=40.0)
# An output with an unusual size for the input: larger, smaller.
add(sides=(5, 7))
add(sides=(9, 12), padding="VALID")
add(sides=(2, 3), padding="VALID")
add(sides=(20, 3))
# The first input is ignored.
add(shape=[1, 2, 3, 4])
add(source=(1, 2, 2, 70), filters=3)
add(source=(1, 2, 2, 2), filters=67)
integers = ("int8", "int16")
add(integers, per_channel=False)
add(integers, gain=100.0)
add(integers, gain=1e-3)
add(integers, gain=1e-8)
add(integers, scales=[0.01, 0.0, 1e-30, 0.5])
add(("int8",), zero_points=(-128, 127))
add(("int8",), zero_points=(127, -128))
add(("int16",), zero_points=(9, -300), activation="RELU", gain=8.0)
add(("int16",), bias="int16")
add(("int16",), bias="int16", filters=66, per_channel=False)
add(("int16",), bias_range=(-(2**44), 2**44), gain=2e-6)


# Parameters that fit together.
def random_parameters(random):
    window = tuple(int(n) for n in random.integers(1, 5, 2))
    return {
        "source": tuple(int(n) for n in random.integers(1, 5, 4)),
        "filters": int(random.integers(2, 6)),
        "window": window,
        "stride": tuple(int(n) for n in random.integers(1, 4, 2)),
        "padding": str(random.choice(["SAME", "VALID"])),
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "gain": float(2 ** random.uniform(-2, 4)),
    }


for number in range(12):
    add(**random_parameters(generator(f"transpose conv {number}")))

# Inputs of many channels, which a kernel may read as rows.
_DEEP = ("int8",)
for padding in ("SAME", "VALID"):
    for window, stride in (
        ((1, 1), (1, 1)), ((3, 3), (2, 2)), ((2, 3), (1, 2)), ((4, 2), (3, 1)), ((2, 2), (3, 4)),
        ((5, 4), (2, 2)),
    ):  # fmt: skip
        add(_DEEP, source=(2, 3, 4, 9), filters=5, window=window, stride=stride, padding=padding)
add(_DEEP, source=(1, 4, 3, 8), filters=67)
add(_DEEP, source=(1, 2, 2, 131), filters=1, bias=None)
add(_DEEP, source=(1, 3, 2, 16), sides=(9, 12), padding="VALID")
add(_DEEP, source=(1, 3, 2, 16), sides=(2, 3), padding="VALID")
add(_DEEP, source=(1, 3, 2, 16), sides=(20, 3))
add(_DEEP, source=(1, 2, 3, 10), per_channel=False)
add(_DEEP, source=(1, 2, 3, 10), gain=100.0)
add(_DEEP, source=(1, 2, 3, 10), gain=1e-8)
add(_DEEP, source=(1, 2, 3, 10), scales=[0.01, 0.0, 1e-30, 0.5])
add(_DEEP, source=(1, 2, 3, 11), activation="RELU6", gain=40.0)
add(_DEEP, source=(1, 2, 3, 12), zero_points=(-128, 127))
add(_DEEP, source=(1, 2, 3, 13), zero_points=(127, -128))
for number in range(12):
    random = generator(f"deep transpose conv {number}")
    add(_DEEP, **{**random_parameters(random), "source": (*random.integers(1, 5, 3), 8 + number)})

# Invalid models, and features that TFLM lacks.
add(depth=2, error="do not fit")
add(stride=(0, 1), sides=(3, 4), error="stride")
add(("int16",), bias="int32", error="must be int64 or int16")
add(("int8",), bias="int64", error="must be int32")
add(("int8",), scales=[0.1, 0.1], error="one scale")


@cases.parametrize
def test_transpose_conv(case):
    case.check()


# TFLM has no tensors without elements.
others = Cases()
EMPTY = np.zeros((0,), np.int8)
for dtype in ("float32", "int8", "int16"):
    for source, sides in (((0, 3, 4, 3), None), ((1, 3, 4, 3), (0, 5))):
        others.add(
            f"{dtype} {source} to {sides}",
            transpose_conv("", dtype, source=source, sides=sides),
            inputs=[[EMPTY if 0 in source else np.ones(source, dtype)]],
            expected=[[EMPTY]],
        )
# No input: the outputs are the bias.
others.add(
    "int16 no input",
    transpose_conv("", "int16", (1, 0, 2, 3), sides=(1, 2), filters=2, bias_range=(0, 0)),
    inputs=[[EMPTY]],
    expected=[[np.zeros((1, 1, 2, 2))]],
)


@others.parametrize
def test_empty(case):
    case.check()
