# Tests of models of quantized uint8, as old converters wrote them, against LiteRT: exact
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
import pytest
from support import litert
from support.builder import ModelBuilder
from support.check import Cases
from support.inputs import generator
from tflm import dtypes
from tflm.errors import UnsupportedError
from tflm.tflite.reader import TfliteModel
from tflm_tools.flat.flatten import flatten

cases = Cases()
_PATHS = ("flat", "saved ram", "saved armv6m", "tflite")


# A chain of operators on uint8.
class _Chain:
    def __init__(self, name, shape, scale=0.05, zero_point=117):
        self.random = generator(name)
        self.model = ModelBuilder(name)
        self.shape, self.quantization = shape, (scale, zero_point)
        self.first = self.last = self.tensor(shape)

    def tensor(self, shape, scale=None, zero_point=None, data=None, dtype="uint8"):
        scale, zero_point = (scale, zero_point) if scale else self.quantization
        return self.model.tensor(shape, dtype, data, scale=scale, zero_point=zero_point)

    def int32(self, values):
        return self.model.tensor(np.shape(values), "int32", np.asarray(values))

    def add(self, name, shape, inputs=(), scale=None, zero_point=None, **options):
        before = [] if name != "SPLIT" else [self.int32(options.pop("axis"))]
        target = self.tensor(shape, scale, zero_point)
        targets = [target]
        if name in ("SPLIT", "UNPACK"):
            targets += [self.tensor(shape, scale, zero_point)]
        self.model.operator(name, [*before, self.last, *inputs], targets, **options)
        self.shape, self.last = shape, target
        if scale:
            self.quantization = scale, zero_point

    # Weights with their own zero point, and a scale that distributes the outputs over their range.
    def weights(self, shape, channels, taps, zero=None):
        zero = int(self.random.integers(90, 180)) if zero is None else zero
        filters = self.random.integers(0, 256, shape)
        weights = self.tensor(shape, 0.01, zero, filters)
        scale = float(np.float32(self.quantization[0]) * np.float32(0.01))
        values = self.random.integers(-900, 900, channels)
        bias = self.tensor((channels,), scale, 0, values, "int32")
        return [weights, bias], {
            "scale": self.quantization[0] * 0.7 * taps**0.5,
            "zero_point": 121,
        }

    def conv(self, count=6, size=3, stride=1, padding="SAME", activation="NONE", dilation=1):
        batch, height, width, depth = self.shape
        inputs, more = self.weights((count, size, size, depth), count, size * size * depth)
        sides = _sides(height, width, (size - 1) * dilation + 1, stride, padding)
        self.add("CONV_2D", (batch, *sides, count), inputs, stride_h=stride, stride_w=stride,
                 padding=padding, fused_activation_function=activation,
                 dilation_h_factor=dilation, dilation_w_factor=dilation, **more)  # fmt: skip

    def depthwise(self, multiplier=1, stride=1, padding="SAME", activation="NONE"):
        batch, height, width, depth = self.shape
        count = depth * multiplier
        inputs, more = self.weights((1, 3, 3, count), count, 9)
        sides = _sides(height, width, 3, stride, padding)
        self.add("DEPTHWISE_CONV_2D", (batch, *sides, count), inputs, stride_h=stride,
                 stride_w=stride, padding=padding, depth_multiplier=multiplier,
                 fused_activation_function=activation, **more)  # fmt: skip

    def dense(self, count, activation="NONE"):
        depth = int(np.prod(self.shape[1:]))
        inputs, more = self.weights((count, depth), count, depth)
        self.add("FULLY_CONNECTED", (self.shape[0], count), inputs,
                 fused_activation_function=activation, **more)  # fmt: skip

    def pool(self, name, size, stride, padding):
        batch, height, width, depth = self.shape
        sides = _sides(height, width, size, stride, padding)
        self.add(name, (batch, *sides, depth), filter_height=size, filter_width=size,
                 stride_h=stride, stride_w=stride, padding=padding)  # fmt: skip

    def build(self, *outputs):
        self.model.io([self.first], outputs or [self.last])
        return self.model.build()


def _sides(height, width, size, stride, padding):
    if padding == "SAME":
        return -(-height // stride), -(-width // stride)
    return (height - size) // stride + 1, (width - size) // stride + 1


def _add(name, model):
    cases.add(name, model, expected=litert.outputs, paths=_PATHS)


for activation in ("NONE", "RELU", "RELU6"):
    for stride, padding, dilation in [(1, "SAME", 1), (2, "SAME", 1), (1, "VALID", 2)]:
        name = f"convolution {activation} {stride} {padding} {dilation}"
        chain = _Chain(name, (2, 8, 7, 3))
        chain.conv(5, 3, stride, padding, activation, dilation)
        _add(name, chain.build())
    for stride, multiplier in [(1, 1), (2, 2), (1, 8)]:
        name = f"depthwise {activation} {stride} {multiplier}"
        chain = _Chain(name, (2, 7, 6, 1 if multiplier == 8 else 4))
        chain.depthwise(multiplier, stride, "SAME", activation)
        _add(name, chain.build())
    shapes = [(1, 33, 7), (3, 8, 70), (2, 1, 1), (64, 40, 30)]
    for batches, depth, count in shapes * (activation != "RELU6"):
        name = f"fully connected {activation} {batches} {depth} {count}"
        chain = _Chain(name, (batches, depth))
        chain.dense(count, activation)
        _add(name, chain.build())


# An operator after a convolution: name, shape of its output, other inputs, options.
def _add_after_conv(name, build):
    chain = _Chain(f"after {name}", (1, 6, 6, 2))
    chain.conv(4)
    build(chain)
    _add(name, chain.build())


_add_after_conv("average 2", lambda c: c.pool("AVERAGE_POOL_2D", 2, 2, "VALID"))
_add_after_conv("average 4", lambda c: c.pool("AVERAGE_POOL_2D", 4, 1, "SAME"))
_add_after_conv("average 3", lambda c: c.pool("AVERAGE_POOL_2D", 3, 2, "SAME"))
_add_after_conv("maximum", lambda c: c.pool("MAX_POOL_2D", 2, 2, "VALID"))
_add_after_conv("logistic", lambda c: c.add("LOGISTIC", c.shape, scale=1 / 256, zero_point=0))
_add_after_conv(
    "softmax", lambda c: c.add("SOFTMAX", c.shape, scale=1 / 256, zero_point=0, beta=1.0)
)
_add_after_conv("reshape", lambda c: c.add("RESHAPE", (1, 144), new_shape=(1, 144)))
_add_after_conv("squeeze", lambda c: c.add("SQUEEZE", (6, 6, 4), squeeze_dims=(0,)))
_add_after_conv("expand", lambda c: c.add("EXPAND_DIMS", (1, 1, 6, 6, 4), [c.int32(0)]))
_add_after_conv("transpose", lambda c: c.add("TRANSPOSE", (1, 4, 6, 6), [c.int32([0, 3, 1, 2])]))
_add_after_conv(
    "pad", lambda c: c.add("PAD", (1, 9, 8, 4), [c.int32([[0, 0], [1, 2], [2, 0], [0, 0]])])
)
_add_after_conv("relu", lambda c: c.add("RELU", c.shape))
_add_after_conv("relu and scale", lambda c: c.add("RELU", c.shape, scale=0.3, zero_point=3))
_add_after_conv("split", lambda c: c.add("SPLIT", (1, 6, 6, 2), axis=3, num_splits=2))
_add_after_conv("unpack", lambda c: (c.conv(4, 3, 3), c.add("UNPACK", (1, 2, 4), num=2, axis=1)))
_add_after_conv(
    "slice",
    lambda c: c.add("SLICE", (1, 3, 6, 2), [c.int32([0, 2, 0, 1]), c.int32([1, 3, 6, 2])]),
)
_add_after_conv(
    "strided slice",
    lambda c: c.add(
        "STRIDED_SLICE", (1, 3, 6, 4),
        [c.int32([0] * 4), c.int32([1, 6, 6, 4]), c.int32([1, 2, 1, 1])],
    ),
)  # fmt: skip
_add_after_conv(
    "nearest", lambda c: c.add("RESIZE_NEAREST_NEIGHBOR", (1, 9, 12, 4), [c.int32([9, 12])])
)
_add_after_conv("quantize", lambda c: c.add("QUANTIZE", c.shape, scale=0.11, zero_point=140))
for name in ("ADD", "SUB", "MUL"):
    _add_after_conv(
        name, lambda c, name=name: c.add(name, c.shape, [c.last], scale=0.31, zero_point=99)
    )
    _add_after_conv(
        f"{name} constant",
        lambda c, name=name: c.add(
            name, c.shape, [c.tensor((4,), 0.02, 30, c.random.integers(0, 256, 4))],
            scale=0.3, zero_point=130,
        ),
    )  # fmt: skip
_add_after_conv("concatenation", lambda c: c.add("CONCATENATION", (1, 12, 6, 4), [c.last], axis=1))
_add_after_conv("pack", lambda c: c.add("PACK", (2, 1, 6, 6, 4), [c.last], values_count=2, axis=0))


# Realistic models: micro_speech of 2019, a small image network, a classifier followed by float32.
def _speech():
    chain = _Chain("speech", (1, 49, 40, 1), 0.1, 0)
    inputs, more = chain.weights((1, 10, 8, 8), 8, 80)
    chain.add("DEPTHWISE_CONV_2D", (1, 25, 20, 8), inputs, stride_h=2, stride_w=2, padding="SAME",
              depth_multiplier=8, fused_activation_function="RELU", **more)  # fmt: skip
    chain.dense(4)
    chain.add("SOFTMAX", (1, 4), scale=1 / 256, zero_point=0, beta=1.0)
    return chain.build()


def _image():
    chain = _Chain("image", (1, 12, 12, 3))
    chain.conv(8, 3, 2, activation="RELU6")
    chain.depthwise(activation="RELU6")
    chain.conv(8, 1, activation="RELU6")
    chain.pool("AVERAGE_POOL_2D", 6, 1, "VALID")
    chain.dense(5)
    chain.add("SOFTMAX", (1, 5), scale=1 / 256, zero_point=0, beta=1.0)
    return chain.build()


# float32 in and out, with outputs of both types.
def _float_ends():
    chain = _Chain("float ends", (2, 9))
    chain.first, inner = chain.model.tensor((2, 9), "float32"), chain.first
    chain.model.operator("QUANTIZE", [chain.first], [inner])
    chain.dense(5)
    real = chain.model.tensor((2, 5), "float32")
    chain.model.operator("DEQUANTIZE", [chain.last], [real])
    return chain.build(chain.last, real)


_add("speech", _speech())
_add("image", _image())
_add("float ends", _float_ends())


@litert.needs_litert
@cases.parametrize
def test_unsigned(case):
    case.check()


# Users see the model as it is in the file.
def test_inputs_and_outputs_stay_uint8():
    subgraph = TfliteModel(_speech()).subgraphs[0]
    for i in subgraph.inputs + subgraph.outputs:
        assert subgraph.tensor(i).dtype == dtypes.UINT8
    codes = [subgraph.node_code(i) for i in range(subgraph.nodes_length())]
    assert codes == [114, 4, 9, 25, 114]
    numbers = [subgraph.node_number(i) for i in range(subgraph.nodes_length())]
    assert sorted(numbers) == list(range(5)) and numbers[1:4] == [0, 1, 2]
    assert [subgraph.node(i).index for i in range(5)] == numbers


def test_unsupported_uint8_operator_is_refused():
    chain = _Chain("refused", (1, 6, 6, 2))
    chain.conv(4)
    chain.add("TANH", chain.shape, scale=1 / 128, zero_point=128)
    with pytest.raises(UnsupportedError, match="op 1 TANH: uint8 quantization"):
        flatten(chain.build())


# The kernels of int8 convolutions, which would run these, ignore the zero point of weights.
def test_computed_uint8_weights_are_refused():
    model = ModelBuilder()
    x, w, y = (
        model.tensor(shape, "uint8", scale=0.1, zero_point=120)
        for shape in ((1, 4, 4, 2), (3, 1, 1, 2), (1, 4, 4, 3))
    )
    model.operator("CONV_2D", [x, w, None], [y], padding="SAME", stride_h=1, stride_w=1)
    model.io([x, w], [y])
    with pytest.raises(UnsupportedError, match="op 0 CONV_2D: uint8 quantization"):
        flatten(model.build())


# Without uint8 weights nothing is changed: TFLM itself copies and converts uint8.
def test_models_without_uint8_weights_are_unchanged():
    model = ModelBuilder()
    x, y = (
        model.tensor((4,), dtype, scale=0.1, zero_point=z)
        for dtype, z in [("uint8", 128), ("int8", 0)]
    )
    model.operator("QUANTIZE", [x], [y])
    model.io([x], [y])
    subgraph = TfliteModel(model.build()).subgraphs[0]
    assert subgraph.nodes_length() == 1 and subgraph.tensors_length() == 2
