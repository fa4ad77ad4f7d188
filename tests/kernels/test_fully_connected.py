# Tests of FULLY_CONNECTED against TFLM
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.check import Cases
from support.inputs import generator
from support.scales import rounded_up
from support.single_op import Tensor, single_op

INT32 = np.iinfo(np.int32)


# A FULLY_CONNECTED with random weights.
def dense(
    name,
    source=(1, 10),
    channels=5,
    depth=None,
    activation="NONE",
    bias=(-3000, 3000),
    bias_scale=1.0,
    bias_size=None,
    per_channel=False,
    gain=1.0,
    zero_points=(-11, 3),
    weights=(-127, 127),
    weights_shape=None,
    output=None,
    options=None,
    computed=False,
    **quantization,
):
    random = generator(name)
    depth = source[-1] if depth is None else depth
    shape = (channels, depth) if weights_shape is None else weights_shape
    if output is None:
        output = (int(np.prod(source)) // depth, channels)
    # Scales that distribute the outputs over their range.
    scales = 2.0 ** random.uniform(-1, 1, channels if per_channel else 1) * 0.02
    filters = None if computed else random.integers(*weights, shape, endpoint=True)
    w = Tensor(shape, "int8", filters, **{"scale": scales, "zero_point": 0, **quantization})
    b = None
    if bias is not None:
        values = random.integers(*bias, bias_size or channels, endpoint=True)
        b = Tensor(values.shape, "int32", values, scale=0.05 * scales * bias_scale, zero_point=0)
    return single_op(
        "FULLY_CONNECTED",
        [Tensor(source, "int8", scale=0.05, zero_point=zero_points[0]), w, b],
        [
            Tensor(
                output,
                "int8",
                scale=0.05 * 0.02 * 90 * np.sqrt(depth) / gain,
                zero_point=zero_points[1],
            )
        ],
        fused_activation_function=activation,
        **(options or {}),
    )


cases = Cases()


# Add a case; its name is the list of arguments that differ from the defaults.
def add(error=None, **parameters):
    name = " ".join(f"{key}={value}" for key, value in parameters.items()) or "defaults"
    cases.add(name, lambda: dense(name, **parameters), error=error)


add()
add(per_channel=True)
for activation in ("RELU", "RELU6", "RELU_N1_TO_1"):
    add(activation=activation, gain=8.0)
# Numbers around the kernel's blocks.
for depth in (1, 7, 8, 63, 64, 65, 130):
    add(source=(1, depth), channels=1)
    add(source=(2, depth), channels=66, per_channel=True)
add(source=(3, 9), channels=64)
add(source=(1, 20), channels=129)
add(source=(1, 640), channels=130)
# Any rank, and an input of another shape.
add(source=(6,), output=(4,), channels=4)
add(source=(2, 3, 6), output=(2, 3, 4), channels=4, options={"keep_num_dims": True})
add(source=(2, 1, 2, 6), output=(2, 1, 2, 4), channels=4, options={"keep_num_dims": True})
add(source=(2, 3, 6), output=(6, 4), channels=4)
add(source=(2, 2, 3), depth=6, channels=4, output=(2, 4))
add(source=(1, 2, 3, 2), depth=12, channels=4, output=(1, 1, 1, 4))
add(source=(1, 1, 1, 1, 2, 6), channels=3, output=(1, 1, 1, 1, 2, 3))
add(weights_shape=(1, 1, 5, 10))
# Fewer channels than the weights have rows.
add(output=(1, 3))
add(output=(1, 3), bias_size=3, per_channel=True)
# Quantization.
add(bias=None)
add(bias=None, per_channel=True, source=(2, 70), channels=70)
add(zero_point=9)
add(zero_point=-128, zero_points=(-128, 5))
add(zero_point=127, zero_points=(127, 5))
add(zero_point=[1, 2, 3, 4, 5], per_channel=True)
add(zero_points=(-128, 127))
add(zero_points=(127, -128))
add(weights=(-128, -128), zero_points=(127, 0))
add(weights=(127, 127), zero_points=(-128, 0), gain=0.5)
add(bias=(INT32.min, INT32.max), per_channel=True)
add(bias=(INT32.min, INT32.min))
add(bias=(INT32.max, INT32.max), zero_points=(-128, -128))
add(bias=(-(10**9), 10**9), gain=1e-5)
add(gain=1000.0, bias=None)
add(gain=1e6, bias=None)
add(gain=1e-3)
add(gain=1e-8)
add(scale=[0.5, 0.0, 1e-30, 0.02, 3.0], per_channel=True)
add(computed=True)
add(computed=True, source=(3, 70), channels=70, zero_point=-5)
add(options={"asymmetric_quantize_inputs": True})


# Random parameters.
def random_parameters(random):
    return {
        "source": (int(random.integers(1, 4)), int(random.integers(1, 100))),
        "channels": int(random.integers(2, 80)),
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "bias": None if random.random() < 0.2 else (-9000, 9000),
        "per_channel": bool(random.random() < 0.5),
        "gain": float(2 ** random.uniform(-4, 3)),
        "zero_point": int(random.choice([0, 0, random.integers(-128, 127)])),
        "zero_points": tuple(int(n) for n in random.integers(-128, 127, 2, endpoint=True)),
    }


for number in range(60):
    parameters = random_parameters(generator(f"dense {number}"))
    name = f"random {number} {parameters}"
    cases.add(name, lambda n=name, p=parameters: dense(n, **p), runs=1, inputs="random")

# Invalid models.
add(output=(1, 6), error="fit")
add(output=(2, 5), error="fit")
add(output=(), error="dimensions")
add(source=(3, 5), depth=4, output=(4, 5), error="fit")
add(weights_shape=(50,), error="2 dimensions")
add(weights_shape=(2, 5, 10), error="2 dimensions")
add(bias_size=4, error="5 elements")
add(scale=[0.1, 0.2], zero_point=0, error="one scale")
add(scale=None, error="scale")
add(scale=-1.0, error="scale")
add(zero_point=128, error="zero point")
add(bias_scale=100.0, error="the input's scale times")
add(options={"weights_format": "SHUFFLED4x16INT8"}, error="shuffled")


@cases.parametrize
def test_fully_connected(case):
    case.check()


QUANTIZED = {"scale": 0.1, "zero_point": 0}
others = Cases()
others.add(
    "the same tensor as input and weights",
    single_op(
        "FULLY_CONNECTED",
        [tensor := Tensor((3, 4), "int8", **QUANTIZED), tensor],
        [Tensor((3, 3), "int8", **QUANTIZED)],
    ),
)
others.add(
    "constant input",
    single_op(
        "FULLY_CONNECTED",
        [Tensor((1, 2), "int8", [3, -4], **QUANTIZED), Tensor((3, 2), "int8", **QUANTIZED)],
        [Tensor((1, 3), "int8", **QUANTIZED)],
    ),
)
# TFLM has no tensors without elements.
EMPTY = np.zeros((0,), np.int8)
others.add(
    "no batches",
    single_op(
        "FULLY_CONNECTED",
        [Tensor((0, 2), "int8", **QUANTIZED), Tensor((1, 2), "int8", [1, 2], **QUANTIZED)],
        [Tensor((0, 1), "int8", **QUANTIZED)],
    ),
    inputs=[[EMPTY]],
    expected=[[EMPTY]],
)
others.add(
    "no depth",
    single_op(
        "FULLY_CONNECTED",
        [
            Tensor((2, 0), "int8", **QUANTIZED),
            Tensor((1, 0), "int8", **QUANTIZED),
            Tensor((1,), "int32", [50], scale=0.01),
        ],
        [Tensor((2, 1), "int8", **QUANTIZED)],
    ),
    inputs=[[EMPTY, EMPTY]],
    expected=[[[5, 5]]],
)


# Half of the input: TFLM's multiplier is the double one.
for i in range(3):
    a, b, product = rounded_up(np.random.default_rng(i))
    others.add(
        f"half {i}",
        single_op(
            "FULLY_CONNECTED",
            [Tensor((1, 1), "int8", scale=a, zero_point=0), Tensor((1, 1), "int8", [1], scale=b)],
            [Tensor((1, 1), "int8", scale=2 * product, zero_point=0)],
        ),
        inputs=[[[[value]]] for value in (-127, -3, -1, 1, 3, 99)],
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
    shapes = (1, 2), (3, 2), (3,), (1, 3)
    *sources, y = [Tensor(s, t, **QUANTIZED) for s, t in zip(shapes, dtypes, strict=True)]
    refused.add(" ".join(dtypes), single_op("FULLY_CONNECTED", sources, [y]), error=error)


@refused.parametrize
def test_refused(case):
    case.check()
