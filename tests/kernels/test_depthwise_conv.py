# Tests of DEPTHWISE_CONV_2D against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.single_op import Tensor, single_op

INT32 = np.iinfo(np.int32)


# A DEPTHWISE_CONV_2D with random weights; the output has the shape that TFLM expects.
def depthwise(
    name,
    source=(1, 6, 6, 4),
    multiplier=1,
    window=(3, 3),
    stride=(1, 1),
    dilation=(1, 1),
    padding="SAME",
    activation="NONE",
    bias=(-3000, 3000),
    per_channel=True,
    gain=1.0,
    zero_points=(-11, 3),
    weights=(-127, 127),
    output=None,
    depth_multiplier=None,
    first=1,
    absent_bias=False,
    **quantization,
):
    random = generator(name)
    batches, height, width, depth = source
    channels = depth * multiplier
    if output is None:
        sides = [
            -(-size // step) if padding == "SAME" else (size + step - (k - 1) * d - 1) // step
            for size, step, k, d in zip((height, width), stride, window, dilation, strict=True)
        ]
        output = (batches, *sides, channels)
    # Scales that distribute the outputs over their range.
    scales = 2.0 ** random.uniform(-1, 1, channels if per_channel else 1) * 0.02
    output_scale = 0.05 * 0.02 * 90 * np.sqrt(window[0] * window[1]) / gain
    shape = (first, *window, channels)
    filters = random.integers(*weights, shape, endpoint=True)
    zeros = 0 if not per_channel else [0] * channels  # TFLM requires as many as there are scales
    w = {"scale": scales, "zero_point": zeros, "quantized_dimension": 3, **quantization}
    b = []  # TFLM crashes if the bias is -1
    if bias is not None:
        values = random.integers(*bias, channels, endpoint=True)
        b = [Tensor((channels,), "int32", values, scale=0.05 * scales, zero_point=0)]
    elif absent_bias:
        b = [None]
    return single_op(
        "DEPTHWISE_CONV_2D",
        [
            Tensor(source, "int8", scale=0.05, zero_point=zero_points[0]),
            Tensor(shape, "int8", filters, **w),
            *b,
        ],
        [Tensor(output, "int8", scale=output_scale, zero_point=zero_points[1])],
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        depth_multiplier=multiplier if depth_multiplier is None else depth_multiplier,
        padding=padding,
        fused_activation_function=activation,
    )


cases = Cases()


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    cases.add(name, lambda: depthwise(name, **parameters), error=error)


add()
for padding in ("SAME", "VALID"):
    for window in ((1, 1), (3, 3), (2, 4), (5, 5), (6, 1)):
        for stride in ((1, 1), (2, 3)):
            add(source=(1, 8, 7, 5), window=window, stride=stride, padding=padding)
    add(source=(2, 9, 8, 3), window=(3, 2), dilation=(2, 3), padding=padding)
    add(source=(1, 9, 9, 4), dilation=(1, 2), stride=(2, 1), padding=padding)
    add(source=(2, 5, 5, 3), multiplier=3, padding=padding)
for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
    add(activation=activation, gain=8.0)
add(source=(1, 12, 10, 1), multiplier=8, window=(10, 8), stride=(2, 2))
add(source=(1, 3, 3, 70))
add(source=(3, 2, 2, 65), multiplier=2, window=(2, 2))
add(source=(1, 1, 1, 1), window=(1, 1))
# Filters that just fit the kernel's words, and filters that just do not.
add(source=(1, 17, 9, 2), window=(16, 8), padding="VALID")
add(source=(1, 130, 3, 2), window=(128, 1))
add(source=(1, 4, 132, 1), window=(1, 129), multiplier=2)
add(source=(1, 140, 3, 2), window=(43, 3), zero_points=(127, 0))
add(source=(1, 12, 12, 2), window=(12, 12), padding="VALID")
# The window is larger than the image; windows outside of the image.
add(source=(1, 2, 2, 3), window=(5, 5))
add(source=(1, 2, 2, 3), window=(2, 2), dilation=(4, 4))
add(source=(1, 2, 2, 3), window=(2, 2), stride=(5, 5))
# Quantization.
add(per_channel=False)
add(per_channel=False, multiplier=2, bias=None)
add(bias=None)
cases.add(
    "bias left out by -1",
    depthwise("", bias=None, absent_bias=True),
    oracle_model=depthwise("", bias=None),
)
add(bias=(INT32.min, INT32.max))
add(bias=(INT32.min, INT32.min))
add(bias=(INT32.max, INT32.max), zero_points=(-128, -128))
add(bias=(-(10**9), 10**9), gain=1e-5)
add(zero_points=(-128, 127))
add(zero_points=(127, -128))
add(weights=(-128, -128), zero_points=(127, 0))
add(weights=(127, 127), zero_points=(-128, 0), gain=0.5)
add(gain=1000.0)
add(gain=1e6)
add(gain=1e-3)
add(gain=1e-8)
add(zero_point=[5, -7, 0, 90])
add(scale=[0.01, 0.0, 1e-30, 0.5])


# Random parameters.
def random_parameters(random):
    padding = str(random.choice(["SAME", "VALID"]))
    window = tuple(int(n) for n in random.integers(1, 6, 2))
    dilation = tuple(int(n) for n in random.choice([1, 1, 2, 3], 2))
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    smallest = reach if padding == "VALID" else (1, 1)
    sides = [int(random.integers(low, low + 7)) for low in smallest]
    return {
        "source": (int(random.integers(1, 3)), *sides, int(random.choice([1, 2, 3, 8, 17]))),
        "multiplier": int(random.choice([1, 1, 2, 5])),
        "window": window,
        "stride": tuple(int(n) for n in random.integers(1, 4, 2)),
        "dilation": dilation,
        "padding": padding,
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "bias": None if random.random() < 0.2 else (-9000, 9000),
        "per_channel": bool(random.random() < 0.8),
        "gain": float(2 ** random.uniform(-2, 4)),
        "zero_points": tuple(int(n) for n in random.integers(-128, 127, 2, endpoint=True)),
    }


for number in range(80):
    parameters = random_parameters(generator(f"depthwise {number}"))
    name = f"random {number} {parameters}"
    cases.add(name, lambda n=name, p=parameters: depthwise(n, **p), runs=1, inputs="random")

# Invalid models.
add(output=(1, 6, 5, 4), error="should be")
add(output=(1, 6, 6, 5), error="should be")
add(output=(2, 6, 6, 4), error="should be")
add(output=(6, 6, 4), error="4 dimensions")
add(stride=(0, 1), output=(1, 6, 6, 4), error="stride")
add(dilation=(0, 1), error="dilation")
add(depth_multiplier=2, error="multiplier")
add(depth_multiplier=0, error="multiplier")
add(first=2, error="first of them 1")
add(scale=[0.1, 0.2], error="one scale")
add(scale=[0.1, 0.2, 0.1, -0.1], error="negative scale")


@cases.parametrize
def test_depthwise_conv(case):
    case.check()


QUANTIZED = {"scale": 0.1, "zero_point": 0}
others = Cases()
others.add(
    "weights and bias that are computed",
    single_op(
        "DEPTHWISE_CONV_2D",
        [
            Tensor((1, 4, 4, 2), "int8", scale=0.1, zero_point=5),
            Tensor((1, 2, 2, 4), "int8", **QUANTIZED),
            Tensor((4,), "int32", **QUANTIZED),
        ],
        [Tensor((1, 4, 4, 4), "int8", scale=3.0, zero_point=0)],
        stride_h=1,
        stride_w=1,
        depth_multiplier=2,
    ),
    ranges={2: (-500, 500)},
)


@others.parametrize
def test_operands(case):
    case.check()


refused = Cases()
for *dtypes, error in (
    ("int16", "int8", "int32", "int8", "must be"),
    ("int8", "int8", "int32", "int16", "must be"),
    ("int8", "float32", "int32", "int8", "must be"),
    ("int8", "int8", "int64", "int8", "must be"),
):
    shapes = (1, 2, 2, 1), (1, 1, 1, 1), (1,), (1, 2, 2, 1)
    *sources, y = [Tensor(s, t, **QUANTIZED) for s, t in zip(shapes, dtypes, strict=True)]
    model = single_op(
        "DEPTHWISE_CONV_2D", sources, [y], stride_h=1, stride_w=1, depth_multiplier=1
    )
    refused.add(" ".join(dtypes), model, error=error)


@refused.parametrize
def test_refused(case):
    case.check()
