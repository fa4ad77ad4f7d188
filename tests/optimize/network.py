# Test support: builds small networks with layers that optimization passes change
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from support.builder import ModelBuilder
from support.inputs import generator


class Network:
    """A chain or graph of layers under construction. Its name seeds its random weights.

    dtype: type of the operators' outputs: int8, int16 or float32.
    Each method adds an operator and returns the number of its output. `dead` channels have weights
    of zero. A bias is random if it is not given.
    """

    def __init__(self, name, shape, batch=1, dtype="int8"):
        self.random = generator(name)
        self.builder = ModelBuilder(name)
        self.shapes, self.quantization, self.dtype = {}, {}, dtype
        self.inputs = [self.tensor((batch, *shape), 0.05, -128)]
        self.outputs = []

    def tensor(self, shape, scale=0.05, zero_point=-128, data=None, dtype=None):
        dtype = dtype or self.dtype
        own = {"float32": (None, None), "int16": (scale / 128, 0)}.get(dtype, (scale, zero_point))
        number = self.builder.tensor(shape, dtype, data, scale=own[0], zero_point=own[1])
        self.shapes[number] = tuple(shape)
        self.quantization[number] = scale, zero_point
        return number

    def constant(self, values, dtype="int32"):
        values = np.asarray(values)
        return self.builder.tensor(values.shape, dtype, values)

    def _weights(self, shape, axis, dead, unread=()):
        values = self.random.integers(-127, 128, shape)
        values[(slice(None),) * axis + (list(dead),)] = 0
        if len(unread):
            values[..., list(unread)] = 0
        if self.dtype == "float32":
            return self.builder.tensor(shape, "float32", values / 300), None
        scales = self.random.uniform(0.001, 0.004, shape[axis])
        number = self.builder.tensor(
            shape, "int8", values, scale=scales, zero_point=0, quantized_dimension=axis
        )
        return number, scales

    def _bias(self, source, scales, bias):
        if scales is None:
            return None
        values = self.random.integers(-2000, 2000, len(scales)) if bias is None else bias
        scale = self.quantization[source][0] * scales
        kind = "int64" if self.dtype == "int16" else "int32"
        return self.builder.tensor((len(scales),), kind, values, scale=scale, zero_point=0)

    def conv(
        self, source, filters, size=1, stride=1, padding="SAME", dead=(), unread=(), bias=None,
        activation="RELU6", scale=0.0235, zero_point=-128,
    ):  # fmt: skip
        batch, height, width, channels = self.shapes[source]
        window = size if isinstance(size, tuple) else (size, size)
        shape = (filters, *window, channels)
        weights, scales = self._weights(shape, 0, dead, unread)
        output = self.tensor(
            (batch, *_sides(height, width, size, stride, padding), filters), scale, zero_point
        )
        self.builder.operator(
            "CONV_2D", [source, weights, self._bias(source, scales, bias)], [output],
            stride_h=stride, stride_w=stride, padding=padding,
            fused_activation_function=activation,
        )  # fmt: skip
        return output

    def depthwise(
        self, source, size=3, stride=1, padding="SAME", multiplier=1, dead=(), bias=None,
        activation="RELU6", scale=0.0235, zero_point=-128,
    ):  # fmt: skip
        batch, height, width, channels = self.shapes[source]
        channels *= multiplier
        window = size if isinstance(size, tuple) else (size, size)
        weights, scales = self._weights((1, *window, channels), 3, dead)
        output = self.tensor(
            (batch, *_sides(height, width, size, stride, padding), channels), scale, zero_point
        )
        self.builder.operator(
            "DEPTHWISE_CONV_2D", [source, weights, self._bias(source, scales, bias)], [output],
            stride_h=stride, stride_w=stride, padding=padding, depth_multiplier=multiplier,
            fused_activation_function=activation,
        )  # fmt: skip
        return output

    def dense(self, source, units, dead=(), bias=None, per_channel=False, activation="RELU"):
        shape = self.shapes[source]
        depth = int(np.prod(shape[1:]))
        values = self.random.integers(-127, 128, (units, depth))
        values[list(dead)] = 0
        scales = self.random.uniform(0.001, 0.003, units if per_channel else 1)
        weights = self.builder.tensor((units, depth), "int8", values, scale=scales, zero_point=0)
        scales = np.broadcast_to(scales, (units,))
        inputs = [source, weights]
        if bias is not None:
            scale = self.quantization[source][0] * (scales if per_channel else scales[:1])
            inputs.append(self.builder.tensor((units,), "int32", bias, scale=scale, zero_point=0))
        else:
            inputs.append(None)
        output = self.tensor((shape[0], units), 0.1, -20)
        self.builder.operator(
            "FULLY_CONNECTED", inputs, [output], fused_activation_function=activation
        )
        return output

    def pool(self, name, source, size, stride=None, padding="VALID"):
        stride = stride or size
        batch, height, width, channels = self.shapes[source]
        sides = _sides(height, width, size, stride, padding)
        output = self.tensor((batch, *sides, channels), *self.quantization[source])
        self.builder.operator(
            name, [source], [output],
            filter_height=size, filter_width=size, stride_h=stride, stride_w=stride,
            padding=padding,
        )  # fmt: skip
        return output

    def transposed(self, source, filters, size=2, stride=2, padding="SAME"):
        batch, height, width, channels = self.shapes[source]
        weights, scales = self._weights((filters, size, size, channels), 0, ())
        more = 0 if padding == "SAME" else max(0, size - stride)
        output = self.tensor(
            (batch, height * stride + more, width * stride + more, filters), 0.0235
        )  # fmt: skip
        sides = self.constant(self.shapes[output])
        self.builder.operator(
            "TRANSPOSE_CONV", [sides, weights, source, self._bias(source, scales, None)], [output],
            stride_h=stride, stride_w=stride, padding=padding,
        )  # fmt: skip
        return output

    def enlarged(self, source, name="RESIZE_NEAREST_NEIGHBOR", times=2, **options):
        batch, height, width, channels = self.shapes[source]
        shape = batch, height * times, width * times, channels
        return self.unary(name, source, shape=shape, inputs=[self.constant(shape[1:3])], **options)

    def pad(self, source, sides, value=None):
        paddings = [(0, 0), *sides, (0, 0)]
        shape = [n + a + b for n, (a, b) in zip(self.shapes[source], paddings, strict=True)]
        output = self.tensor(shape, *self.quantization[source])
        inputs = [source, self.constant(paddings)]
        if value is not None:
            inputs.append(self.tensor((1,), *self.quantization[source], [value]))
        self.builder.operator("PAD" if value is None else "PADV2", inputs, [output])
        return output

    def binary(self, name, a, b, scale=0.05, zero_point=-100):
        shape = np.broadcast_shapes(self.shapes[a], self.shapes[b])
        output = self.tensor(shape, scale, zero_point)
        self.builder.operator(name, [a, b], [output])
        return output

    def unary(self, name, source, scale=None, zero_point=None, shape=None, inputs=(), **options):
        quantization = self.quantization[source]
        scale = quantization[0] if scale is None else scale
        zero_point = quantization[1] if zero_point is None else zero_point
        output = self.tensor(shape or self.shapes[source], scale, zero_point)
        self.builder.operator(name, [source, *inputs], [output], **options)
        return output

    def reshape(self, source, shape):
        return self.unary("RESHAPE", source, shape=shape, inputs=[self.constant(shape)])

    def concatenation(self, sources, axis):
        shape = list(self.shapes[sources[0]])
        shape[axis] = sum(self.shapes[source][axis] for source in sources)
        output = self.tensor(shape, *self.quantization[sources[0]])
        self.builder.operator("CONCATENATION", sources, [output], axis=axis)
        return output

    def split(self, source, axis, count):
        shape = list(self.shapes[source])
        shape[axis] //= count
        outputs = [self.tensor(shape, *self.quantization[source]) for _ in range(count)]
        self.builder.operator("SPLIT", [self.constant(axis), source], outputs, num_splits=count)
        return outputs

    def build(self, *outputs):
        self.builder.io(self.inputs, outputs)
        return self.builder.build()


# size: side of a window, or its (height, width).
def _sides(height, width, size, stride, padding):
    if padding == "SAME":
        return -(-height // stride), -(-width // stride)
    tall, wide = size if isinstance(size, tuple) else (size, size)
    return (height - tall) // stride + 1, (width - wide) // stride + 1
