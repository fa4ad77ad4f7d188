# A small network of the layers that two cores share, for the tests of cores
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder


# A small network of the layers that two cores share: convolutions of both kinds, ADD of two
# branches, pooling, FULLY_CONNECTED and SOFTMAX.
def network(channels=12, height=11, width=9, seed=5):
    rng = np.random.default_rng(seed)
    model = ModelBuilder()

    def constant(shape, dtype, low, high, **quantization):
        return model.tensor(shape, dtype, rng.integers(low, high, shape), **quantization)

    def convolution(name, x, shape, y, dimension, **options):
        count = shape[dimension]
        scales = [0.005 + 0.0001 * i for i in range(count)]
        weights = constant(
            shape, "int8", -127, 128, scale=scales, zero_point=[0] * count,
            quantized_dimension=dimension,
        )  # fmt: skip
        bias = constant(
            (count,), "int32", -3000, 3000, scale=[s * 0.05 for s in scales],
            zero_point=[0] * count, quantized_dimension=0,
        )  # fmt: skip
        model.operator(
            name, [x, weights, bias], [y], padding="SAME", stride_h=1, stride_w=1,
            dilation_h_factor=1, dilation_w_factor=1, **options,
        )  # fmt: skip

    def activation(depth, height=height, width=width):
        return model.tensor((1, height, width, depth), "int8", scale=0.05, zero_point=-7)

    x = model.tensor((1, height, width, 4), "int8", scale=0.05, zero_point=3)
    a, b, c, d = (activation(channels) for _ in range(4))
    convolution("CONV_2D", x, (channels, 3, 3, 4), a, 0)
    convolution("DEPTHWISE_CONV_2D", a, (1, 3, 3, channels), b, 3, depth_multiplier=1)
    convolution("CONV_2D", b, (channels, 1, 1, channels), c, 0)
    model.operator("ADD", [a, c], [d])
    pooled = activation(channels, height // 2, width // 2)
    model.operator(
        "MAX_POOL_2D", [d], [pooled], padding="VALID", stride_h=2, stride_w=2,
        filter_height=2, filter_width=2,
    )  # fmt: skip
    size = channels * (height // 2) * (width // 2)
    flat = model.tensor((1, size), "int8", scale=0.05, zero_point=-7)
    shape = model.tensor((2,), "int32", [1, size])
    model.operator("RESHAPE", [pooled, shape], [flat], new_shape=[1, size])
    logits = model.tensor((1, 30), "int8", scale=0.2, zero_point=0)
    weights = constant((30, size), "int8", -127, 128, scale=0.01, zero_point=0)
    bias = constant((30,), "int32", -500, 500, scale=0.0005, zero_point=0)
    model.operator("FULLY_CONNECTED", [flat, weights, bias], [logits])
    y = model.tensor((1, 30), "int8", scale=1 / 256, zero_point=-128)
    model.operator("SOFTMAX", [logits], [y], beta=1.0)
    model.io([x], [y])
    return model.build()
