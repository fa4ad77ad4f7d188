# Test support: builds small float .tflite files, among them networks that classify digits
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder

SIDE, FILTERS = 8, 12


class FloatNet:
    """A float32 or float16 network under construction.

    Each method adds an operator and returns the number of its output. `shapes` has the shape of
    each tensor. half: store constants as float16 with DEQUANTIZE, as the converter's option
    `supported_types=[tf.float16]` does.
    """

    def __init__(self, *shapes, half=False, open_batch=False):
        self.builder = ModelBuilder("float net")
        self.half, self.open_batch, self.shapes = half, open_batch, {}
        self.inputs = [self.tensor(shape, f"input_{i}") for i, shape in enumerate(shapes)]

    def tensor(self, shape, name=None):
        signature = [-1, *shape[1:]] if self.open_batch else None
        number = self.builder.tensor(shape, "float32", name=name, shape_signature=signature)
        self.shapes[number] = tuple(shape)
        return number

    def constant(self, values, dtype="float32"):
        values = np.asarray(values)
        if dtype != "float32" or not self.half:
            return self.builder.tensor(values.shape, dtype, values)
        half = self.builder.tensor(values.shape, "float16", values)
        whole = self.builder.tensor(values.shape, "float32")
        self.builder.operator("DEQUANTIZE", [half], [whole])
        return whole

    def conv(self, source, weights, bias, activation="RELU"):
        output = self.tensor((*self.shapes[source][:3], len(weights)))
        self.builder.operator(
            "CONV_2D", [source, self.constant(weights), self.constant(bias)], [output],
            stride_h=1, stride_w=1, padding="SAME", fused_activation_function=activation,
        )  # fmt: skip
        return output

    def pool(self, source, size):
        batch, height, width, channels = self.shapes[source]
        output = self.tensor((batch, height // size, width // size, channels))
        self.builder.operator(
            "MAX_POOL_2D", [source], [output], filter_height=size, filter_width=size,
            stride_h=size, stride_w=size, padding="VALID",
        )  # fmt: skip
        return output

    def flatten(self, source):
        shape = (self.shapes[source][0], int(np.prod(self.shapes[source][1:])))
        output = self.tensor(shape)
        sizes = self.constant(np.array([-1, shape[1]], np.int32), "int32")
        self.builder.operator("RESHAPE", [source, sizes], [output])
        return output

    def dense(self, source, weights, bias):
        output = self.tensor((self.shapes[source][0], len(weights)))
        inputs = [source, self.constant(weights), self.constant(bias)]
        self.builder.operator("FULLY_CONNECTED", inputs, [output])
        return output

    def unary(self, name, source, shape=None, **options):
        output = self.tensor(shape or self.shapes[source])
        self.builder.operator(name, [source], [output], **options)
        return output

    def multiply(self, source, factor):
        output = self.tensor(self.shapes[source])
        self.builder.operator("MUL", [source, self.constant([factor])], [output])
        return output

    def build(self, *outputs):
        self.builder.io(self.inputs, outputs)
        return self.builder.build()


def features(images, filters):
    """Return the inputs of the last layer of digits_net() for images of shape N, 8, 8, 1."""
    padded = np.pad(images[..., 0], ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    convolved = np.maximum(np.einsum("nhwij,fij->nhwf", windows, filters[..., 0]), 0)
    pooled = convolved.reshape(len(images), 4, 2, 4, 2, FILTERS).max((2, 4))
    return pooled.reshape(len(images), -1)


def trained_digits():
    """Return (filters, weights, bias, images, classes) of a network that reads digits.

    Images have values of 0 to 1. The filters are random, the last layer is a logistic regression.
    """
    from sklearn.datasets import load_digits
    from sklearn.linear_model import LogisticRegression

    data = load_digits()
    images = (data.images[..., None] / 16).astype(np.float32)
    filters = np.random.default_rng(3).normal(size=(FILTERS, 3, 3, 1)).astype(np.float32)
    last = LogisticRegression(max_iter=300).fit(
        features(images[:1200], filters), data.target[:1200]
    )
    weights, bias = last.coef_.astype(np.float32), last.intercept_.astype(np.float32)
    return filters, weights, bias, images[1200:1600], data.target[1200:1600]


def digits_net(trained, before=None, **options):
    """Return the .tflite of a network of trained_digits(). before(net, x): adds first layers."""
    filters, weights, bias = trained[:3]
    net = FloatNet((1, SIDE, SIDE, 1), **options)
    x = before(net, net.inputs[0]) if before else net.inputs[0]
    y = net.conv(x, filters, np.zeros(FILTERS))
    y = net.dense(net.flatten(net.pool(y, 2)), weights, bias)
    return net.build(net.unary("SOFTMAX", y, beta=1.0))
