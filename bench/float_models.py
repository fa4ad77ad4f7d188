# bench: writes float32, int16x8 and hybrid networks with random weights: float_models.py FOLDER
# MIT license; Copyright (c) 2026 the tflm authors

"""The networks have the shapes of MLPerf Tiny's and MNIST's; `cycles.py --model FOLDER/NAME`
measures them. Their weights are random, because the time does not depend on them.
"""

import sys
from pathlib import Path

import numpy as np

_ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(_ROOT / "tests"))

from optimize.network import Network  # noqa: E402
from speech.dtln import Dtln  # noqa: E402
from support.builder import ModelBuilder  # noqa: E402


class _FloatNetwork:
    """A chain of float32 operators; `last` is its last tensor, `shape` its shape."""

    def __init__(self, name, shape):
        self.builder = ModelBuilder(name)
        self.random = np.random.default_rng(len(name))
        self.shape = shape
        self.first = self.last = self.builder.tensor(shape, "float32", name="input")

    def constant(self, shape):
        depth = int(np.prod(shape[1:])) or 1
        values = self.random.normal(0, (2 / depth) ** 0.5, shape).astype(np.float32)
        return self.builder.tensor(shape, "float32", values)

    def add(self, name, inputs, shape, **options):
        self.last = self.builder.tensor(shape, "float32")
        self.shape = shape
        self.builder.operator(name, inputs, [self.last], **options)
        return self.last

    def _sides(self, size, stride, padding):
        sides = self.shape[1:3]
        if padding == "SAME":
            return tuple(-(-side // stride) for side in sides)
        return tuple((side - size) // stride + 1 for side in sides)

    def conv(self, filters, size, stride=1, padding="SAME", activation="RELU"):
        shape = (1, *self._sides(size, stride, padding), filters)
        window = size if isinstance(size, tuple) else (size, size)
        inputs = [
            self.last, self.constant((filters, *window, self.shape[3])),
            self.constant((filters,)),
        ]  # fmt: skip
        return self.add(
            "CONV_2D", inputs, shape, stride_h=stride, stride_w=stride, padding=padding,
            fused_activation_function=activation,
        )  # fmt: skip

    def depthwise(self, size, stride=1, padding="SAME"):
        channels = self.shape[3]
        shape = (1, *self._sides(size, stride, padding), channels)
        inputs = [self.last, self.constant((1, size, size, channels)), self.constant((channels,))]
        return self.add(
            "DEPTHWISE_CONV_2D", inputs, shape, stride_h=stride, stride_w=stride, padding=padding,
            depth_multiplier=1, fused_activation_function="RELU",
        )  # fmt: skip

    def pool(self, name, size):
        shape = (1, *self._sides(size, size, "VALID"), self.shape[3])
        return self.add(
            name, [self.last], shape, filter_height=size, filter_width=size, stride_h=size,
            stride_w=size, padding="VALID",
        )  # fmt: skip

    def dense(self, units, activation="RELU"):
        depth = int(np.prod(self.shape[1:]))
        inputs = [self.last, self.constant((units, depth)), self.constant((units,))]
        return self.add(
            "FULLY_CONNECTED", inputs, (1, units), fused_activation_function=activation
        )

    def build(self):
        self.builder.io([self.first], [self.last])
        return self.builder.build()


class _HybridNetwork(_FloatNetwork):
    """A _FloatNetwork with weights of int8. Weights of DEPTHWISE_CONV_2D are float32."""

    def constant(self, shape):
        if len(shape) < 2 or len(shape) == 4 and shape[0] == 1:
            return super().constant(shape)
        scales = self.random.uniform(0.001, 0.004, shape[0] if len(shape) == 4 else 1)
        return self.builder.tensor(
            shape, "int8", self.random.integers(-127, 128, shape), scale=scales, zero_point=0,
            quantized_dimension=0,
        )  # fmt: skip


def ad01():
    """MLPerf Tiny's autoencoder of anomaly detection."""
    net = _FloatNetwork("ad01_float", (1, 640))
    for units in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        net.dense(units)
    net.dense(640, "NONE")
    return net.build()


def resnet8():
    """MLPerf Tiny's network of image classification."""
    net = _FloatNetwork("resnet8_float", (1, 32, 32, 3))
    before = net.conv(16, 3)
    for filters, stride in ((16, 1), (32, 2), (64, 2)):
        shape = net.shape
        net.conv(filters, 3, stride)
        sums = net.conv(filters, 3, activation="NONE")
        other = before
        if stride == 2:
            net.last, net.shape = before, shape
            other = net.conv(filters, 1, 2, activation="NONE")
        before = net.add("ADD", [other, sums], net.shape, fused_activation_function="RELU")
    net.pool("AVERAGE_POOL_2D", 8)
    net.dense(10, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def mobilenet():
    """Depthwise separable convolutions, as MLPerf Tiny's keyword spotting has them."""
    net = _FloatNetwork("kws_float", (1, 25, 5, 64))
    for _ in range(4):
        net.depthwise(3)
        net.conv(64, 1)
    net.add("AVERAGE_POOL_2D", [net.last], (1, 1, 1, 64), filter_height=25, filter_width=5,
            stride_h=25, stride_w=5, padding="VALID")  # fmt: skip
    net.dense(12, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def kws_hybrid():
    """MLPerf Tiny's network of keyword spotting with dynamic-range weights."""
    net = _HybridNetwork("kws_hybrid", (1, 49, 10, 1))
    net.conv(64, (10, 4), 2)
    for _ in range(4):
        net.depthwise(3)
        net.conv(64, 1)
    net.add("AVERAGE_POOL_2D", [net.last], (1, 1, 1, 64), filter_height=25, filter_width=5,
            stride_h=25, stride_w=5, padding="VALID")  # fmt: skip
    net.dense(12, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def ad01_hybrid():
    """MLPerf Tiny's autoencoder with dynamic-range weights."""
    net = _HybridNetwork("ad01_hybrid", (1, 640))
    for units in (128, 128, 128, 128, 8, 128, 128, 128, 128):
        net.dense(units)
    net.dense(640, "NONE")
    return net.build()


def mnist_cnn():
    """A small CNN for handwritten digits."""
    net = _FloatNetwork("mnist_cnn_float", (1, 28, 28, 1))
    net.conv(4, 3)
    net.pool("MAX_POOL_2D", 2)
    net.conv(3, 3)
    net.pool("MAX_POOL_2D", 2)
    net.dense(10, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def lenet():
    """A LeNet for handwritten digits."""
    net = _FloatNetwork("lenet_float", (1, 28, 28, 1))
    for filters in (6, 16):
        net.conv(filters, 5, padding="VALID")
        net.pool("MAX_POOL_2D", 2)
    net.dense(32)
    net.dense(10, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def lstm():
    """An LSTM over the rows of a handwritten digit."""
    net = _FloatNetwork("mnist_lstm_float", (1, 28, 28))
    size, state = 28, 20
    inputs = [net.last, *(net.constant((state, size)) for _ in range(4))]
    inputs += [net.constant((state, state)) for _ in range(4)]
    inputs += [None, None, None, *(net.constant((state,)) for _ in range(4)), None, None]
    for name in ("hidden", "cell"):
        inputs.append(net.builder.tensor((1, state), "float32", variable=True, name=name))
    inputs += [None] * 4
    net.add("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs, (1, 28, state),
            fused_activation_function="TANH")  # fmt: skip
    net.dense(10, "NONE")
    net.add("SOFTMAX", [net.last], net.shape, beta=1.0)
    return net.build()


def lenet_16x8():
    """The LeNet with int16 activations and int8 weights."""
    net = Network("lenet_16x8", (28, 28, 1), dtype="int16")
    now = net.inputs[0]
    for filters in (6, 16):
        now = net.conv(now, filters, 5, padding="VALID", activation="RELU")
        now = net.pool("MAX_POOL_2D", now, 2)
    now = net.dense(now, 32)
    return net.build(net.dense(now, 10, activation="NONE"))


def kws_16x8():
    """MLPerf Tiny's network of keyword spotting with int16 activations and int8 weights."""
    net = Network("kws_16x8", (49, 10, 1), dtype="int16")
    now = net.conv(net.inputs[0], 64, (10, 4), 2, activation="RELU")
    for _ in range(4):
        now = net.depthwise(now, 3, activation="RELU")
        now = net.conv(now, 64, 1, activation="RELU")
    now = net.pool("AVERAGE_POOL_2D", now, 5)
    return net.build(net.dense(now, 12, activation="NONE"))


MODELS = {
    "ad01_float": ad01,
    "resnet8_float": resnet8,
    "kws_float": mobilenet,
    "mnist_cnn_float": mnist_cnn,
    "lenet_float": lenet,
    "mnist_lstm_float": lstm,
    "lenet_16x8": lenet_16x8,
    "kws_16x8": kws_16x8,
    "ad01_hybrid": ad01_hybrid,
    "kws_hybrid": kws_hybrid,
    "dtln_1_float": lambda: Dtln(1).build(),
    "dtln_2_float": lambda: Dtln(2).build(),
    "dtln_1_hybrid": lambda: Dtln(1, is_hybrid=True).build(),
    "dtln_2_hybrid": lambda: Dtln(2, is_hybrid=True).build(),
}


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        (folder / f"{name}.tflite").write_bytes(make())
