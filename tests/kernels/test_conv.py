# Tests of CONV_2D against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases, portable_modules
from support.inputs import generator
from support.single_op import Tensor, single_op

INT32 = np.iinfo(np.int32)


# A CONV_2D with random weights; the output has the shape that TFLM expects.
def conv(
    name,
    source=(1, 6, 6, 3),
    filters=4,
    window=(3, 3),
    stride=(1, 1),
    dilation=(1, 1),
    padding="SAME",
    groups=1,
    activation="NONE",
    bias=(-3000, 3000),
    per_channel=True,
    gain=1.0,
    zero_points=(-11, 3),
    weights=(-127, 127),
    output=None,
    **quantization,
):
    random = generator(name)
    batches, height, width, channels = source
    depth = channels // groups
    if output is None:
        sides = [
            -(-size // step) if padding == "SAME" else (size + step - (k - 1) * d - 1) // step
            for size, step, k, d in zip((height, width), stride, window, dilation, strict=True)
        ]
        output = (batches, *sides, filters)
    # Scales that distribute the outputs over their range.
    taps = depth * window[0] * window[1]
    scales = 2.0 ** random.uniform(-1, 1, filters if per_channel else 1) * 0.02
    output_scale = 0.05 * 0.02 * 90 * 60 * np.sqrt(taps) / 60 / gain
    x = Tensor(source, "int8", scale=0.05, zero_point=zero_points[0])
    shape = (filters, *window, depth)
    w = Tensor(
        shape,
        "int8",
        random.integers(*weights, shape, endpoint=True),
        **{"scale": scales, "zero_point": 0, "quantized_dimension": 0, **quantization},
    )
    b = None
    if bias is not None:
        b = Tensor(
            (filters,),
            "int32",
            random.integers(*bias, filters, endpoint=True),
            scale=0.05 * scales,
            zero_point=0,
        )
    y = Tensor(output, "int8", scale=output_scale, zero_point=zero_points[1])
    return single_op(
        "CONV_2D",
        [x, w, b],
        [y],
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        padding=padding,
        fused_activation_function=activation,
    )


cases = Cases()
portable_cases = Cases(modules=portable_modules())


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    cases.add(name, lambda: conv(name, **parameters), error=error)
    if not error:
        portable_cases.add(name, lambda: conv(name, **parameters))


add()
for padding in ("SAME", "VALID"):
    for window in ((1, 1), (2, 2), (3, 1), (4, 5)):
        for stride in ((1, 1), (2, 3)):
            add(source=(1, 7, 8, 2), window=window, stride=stride, padding=padding)
    add(source=(2, 9, 7, 3), window=(3, 2), dilation=(2, 3), padding=padding)
    add(source=(1, 9, 9, 4), window=(3, 3), dilation=(1, 2), stride=(2, 1), padding=padding)
for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
    add(activation=activation, gain=8.0)
# Groups, also with dilation, and each channel as a group.
add(source=(1, 4, 4, 6), filters=4, groups=2)
add(source=(2, 5, 4, 6), filters=6, groups=3, window=(2, 3), dilation=(2, 1), padding="VALID")
add(source=(1, 4, 4, 5), filters=10, groups=5)
# More taps and channels than the kernel unpacks at a time, and numbers around its blocks.
add(source=(1, 3, 3, 30), filters=70)
add(source=(1, 3, 2, 64), filters=64, window=(1, 1))
add(source=(1, 2, 3, 65), filters=65, window=(1, 1))
add(source=(1, 2, 2, 63), filters=63, window=(1, 1))
add(source=(1, 1, 9, 7), filters=33, window=(1, 3))
add(source=(1, 3, 3, 140), filters=140, groups=2, window=(2, 1))
add(source=(1, 9, 1, 1), filters=1, window=(3, 1))
add(source=(3, 1, 1, 1), filters=1, window=(1, 1))
add(source=(2, 2, 2, 3), filters=130, window=(2, 2))
# The window is larger than the image; windows outside of the image.
add(source=(1, 2, 2, 3), window=(5, 5))
add(source=(1, 2, 2, 3), window=(2, 2), dilation=(4, 4))
add(source=(1, 2, 2, 3), window=(2, 2), stride=(5, 5))
# Quantization.
add(per_channel=False)
add(bias=None)
add(bias=None, filters=70, source=(1, 2, 2, 70), window=(1, 1))
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
add(zero_point=[5, -7, 0, 90], quantized_dimension=0)
add(scale=[0.01, 0.0, 1e-30, 0.5], per_channel=False)
add(filters=3, quantized_dimension=3)
add(filters=4, window=(1, 3), source=(1, 4, 4, 4), quantized_dimension=3)


# Random parameters.
def random_parameters(random):
    groups = int(random.choice([1, 1, 1, 2, 3]))
    padding = str(random.choice(["SAME", "VALID"]))
    window = tuple(int(n) for n in random.integers(1, 5, 2))
    dilation = tuple(int(n) for n in random.choice([1, 1, 2, 3], 2))
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    smallest = reach if padding == "VALID" else (1, 1)
    sides = [int(random.integers(low, low + 6)) for low in smallest]
    batches = int(random.integers(1, 3))
    return {
        "source": (batches, *sides, groups * int(random.choice([1, 2, 3, 4, 5, 8, 13, 17]))),
        "filters": groups * int(random.choice([1, 2, 3, 5, 8, 16, 24])),
        "window": window,
        "stride": tuple(int(n) for n in random.integers(1, 4, 2)),
        "dilation": dilation,
        "padding": padding,
        "groups": groups,
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "bias": None if random.random() < 0.2 else (-9000, 9000),
        "per_channel": bool(random.random() < 0.8),
        "gain": float(2 ** random.uniform(-2, 4)),
        "zero_points": tuple(int(n) for n in random.integers(-128, 127, 2, endpoint=True)),
    }


for number in range(90):
    parameters = random_parameters(generator(f"conv {number}"))
    name = f"random {number} {parameters}"
    for collector in (cases, portable_cases):
        collector.add(name, lambda n=name, p=parameters: conv(n, **p), runs=1, inputs="random")

# Invalid models.
add(output=(1, 6, 5, 4), error="should be")
add(output=(1, 6, 6, 5), error="should be")
add(output=(2, 6, 6, 4), error="should be")
add(output=(6, 6, 4), error="4 dimensions")
add(stride=(0, 1), output=(1, 6, 6, 4), error="stride")
add(dilation=(1, -1), error="dilation")
add(source=(1, 4, 4, 5), groups=2, error="groups")
add(source=(1, 4, 4, 6), groups=3, filters=4, error="groups")
add(scale=[0.1, 0.2], error="one scale")
add(scale=[0.1, 0.2, 0.1, -0.1], error="negative scale")
add(scale=[0.1, 0.2, 0.1, np.inf], error="scale")
add(scale=None, error="one scale")


@cases.parametrize
def test_conv(case):
    case.check()


@portable_cases.parametrize
def test_portable_conv(case):
    case.check()


# A CONV_2D with the given tensors.
def raw_conv(x, w, b, y, **options):
    return single_op("CONV_2D", [x, w, b], [y], **{"stride_h": 1, "stride_w": 1, **options})


QUANTIZED = {"scale": 0.1, "zero_point": 0}
OTHERS = {
    "weights that are computed": raw_conv(
        Tensor((1, 4, 4, 2), "int8", scale=0.1, zero_point=5),
        Tensor((3, 2, 2, 2), "int8", scale=0.1, zero_point=0),
        Tensor((3,), "int32", **QUANTIZED),
        Tensor((1, 4, 4, 3), "int8", scale=3.0, zero_point=0),
    ),
    "constant input": single_op(
        "CONV_2D",
        [
            Tensor((1, 2, 2, 1), "int8", [1, -2, 3, -4], **QUANTIZED),
            Tensor((1, 2, 2, 1), "int8", **QUANTIZED),
        ],
        [Tensor((1, 2, 2, 1), "int8", **QUANTIZED)],
        stride_h=1,
        stride_w=1,
    ),
}
other_cases = Cases()
other_cases.add(
    "no outputs",  # TFLM refuses this
    conv("", padding="VALID", window=(7, 7)),
    inputs=[[np.zeros((1, 6, 6, 3))]],
    expected=[[[]]],
)
for name, model in OTHERS.items():
    other_cases.add(name, model, ranges={2: (-500, 500)})


@other_cases.parametrize
def test_operands(case):
    case.check()


REFUSED = {
    "int8 output, int16 input": ("int16", "int8", "int32", "int8", "must be"),
    "int16 output, int8 input": ("int8", "int8", "int32", "int16", "must be"),
    "float weights": ("int8", "float32", "int32", "int8", "must be"),
    "bias of 64 bits": ("int8", "int8", "int64", "int8", "must be"),
}
refused = Cases()
for name, (*dtypes, error) in REFUSED.items():
    shapes = (1, 2, 2, 1), (1, 1, 1, 1), (1,), (1, 2, 2, 1)
    tensors = [Tensor(shape, t, **QUANTIZED) for shape, t in zip(shapes, dtypes, strict=True)]
    refused.add(name, raw_conv(*tensors), error=error)
refused.add(
    "bias of another size",
    raw_conv(
        Tensor((1, 2, 2, 1), "int8", **QUANTIZED),
        Tensor((2, 1, 1, 1), "int8", [1, 1], **QUANTIZED),
        Tensor((1,), "int32", [1], **QUANTIZED),
        Tensor((1, 2, 2, 2), "int8", **QUANTIZED),
    ),
    error="2 elements",
)


@refused.parametrize
def test_refused(case):
    case.check()
