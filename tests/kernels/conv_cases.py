# Models of the convolutions for tests: int16 or int8 activations, weights of int8 or int4
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.inputs import generator
from support.single_op import Tensor, single_op

_LARGEST = {"int4": 7, "int8": 127, "int16": 32767}


# Return a random array of a type, without the type's lowest value.
def values_of(random, shape, dtype):
    limit = _LARGEST[dtype]
    return random.integers(0 - limit, limit, shape, endpoint=True)


# Return the sides of the output of a convolution.
def output_sides(sides, window, stride, dilation, padding):
    if padding == "SAME":
        return [-(-size // step) for size, step in zip(sides, stride, strict=True)]
    return [
        (size + step - (k - 1) * d - 1) // step
        for size, step, k, d in zip(sides, stride, window, dilation, strict=True)
    ]


# A convolution with random weights: CONV_2D, or DEPTHWISE_CONV_2D if there is a multiplier.
# `output_sides` are computed from the other arguments by default.
def conv(
    name,
    source=(1, 5, 6, 3),
    filters=4,
    multiplier=None,
    window=(3, 3),
    stride=(1, 1),
    dilation=(1, 1),
    padding="SAME",
    groups=1,
    activation="NONE",
    bias="int64",
    bias_range=(-30000, 30000),
    bias_type=None,
    per_channel=True,
    gain=1.0,
    zero_points=(0, 0),
    dtype="int16",
    weights="int8",
    extreme=None,
    output=None,
    computed=False,
    scales=None,
):
    random = generator(name)
    batches, *sides, channels = source
    depth = channels // groups
    shape = (filters, *window, depth)
    if multiplier:
        filters = channels * multiplier
        shape = (1, *window, filters)
        depth = 1
    if output is None:
        output = (batches, *output_sides(sides, window, stride, dilation, padding), filters)
    quantum = 0.05 if dtype == "int8" else 0.0005
    if scales is None:
        scales = 2.0 ** random.uniform(-1, 1, filters if per_channel else 1) * 0.02
    taps = depth * window[0] * window[1]
    weight_scale = _LARGEST[weights] / 100 * np.sqrt(taps)
    kernel = None if computed else values_of(random, shape, weights)
    if extreme is not None:
        kernel = np.full(shape, extreme)
    tensors = [
        Tensor(source, dtype, scale=quantum, zero_point=zero_points[0]),
        Tensor(
            shape,
            weights,
            kernel,
            scale=scales,
            zero_point=0,
            quantized_dimension=3 if multiplier else 0,
        ),
    ]
    if bias is not None:
        numbers = random.integers(*bias_range, filters, endpoint=True)
        tensors.append(
            Tensor((filters,), bias, numbers, scale=quantum * np.asarray(scales), zero_point=0)
        )
    options = {} if bias_type is None else {"quantized_bias_type": bias_type}
    if multiplier:
        options["depth_multiplier"] = multiplier
    return single_op(
        "DEPTHWISE_CONV_2D" if multiplier else "CONV_2D",
        tensors,
        [
            Tensor(
                output,
                dtype,
                scale=quantum * 0.02 * weight_scale * 100 / gain,
                zero_point=zero_points[1],
            )
        ],
        stride_h=stride[0],
        stride_w=stride[1],
        dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
        padding=padding,
        fused_activation_function=activation,
        **options,
    )


# Return random parameters of a convolution that fit together.
def random_parameters(random):
    padding = str(random.choice(["SAME", "VALID"]))
    window = tuple(int(n) for n in random.integers(1, 5, 2))
    dilation = tuple(int(n) for n in random.choice([1, 1, 2, 3], 2))
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilation, strict=True)]
    smallest = reach if padding == "VALID" else (1, 1)
    sides = [int(random.integers(low, low + 5)) for low in smallest]
    return {
        "source": (int(random.integers(1, 3)), *sides, int(random.choice([1, 2, 4, 10]))),
        "window": window,
        "stride": tuple(int(n) for n in random.integers(1, 4, 2)),
        "dilation": dilation,
        "padding": padding,
        "activation": str(random.choice(["NONE", "RELU", "RELU6", "RELU_N1_TO_1"])),
        "per_channel": bool(random.random() < 0.8),
        "gain": float(2 ** random.uniform(-2, 4)),
    }
