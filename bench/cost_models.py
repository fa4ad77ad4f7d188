# bench: makes models of one operator each, in many shapes, whose cycles costs.py fits
# MIT license; Copyright (c) 2026 the tflm authors

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from kernels import test_gru, test_svdf, test_svdf_float, test_unidirectional_sequence_lstm
from support.builder import ModelBuilder

INT8, INT16, FLOAT32, HYBRID = "int8", "int16", "float32", "hybrid"
UINT8, INT32 = "uint8", "int32"
_ALL = INT8, INT16, FLOAT32
_NUMBERS = {
    INT8: {"scale": 0.05, "zero_point": -3}, INT16: {"scale": 0.0004, "zero_point": 0},
    UINT8: {"scale": 0.05, "zero_point": 125},
}  # fmt: skip


class Sheet:
    """A model of one operator in many shapes, each with separate inputs and outputs.

    has_lowest: the int8 weights hold a -128, so that no kernel for packed weights can run.
    """

    def __init__(self, dtype):
        self.dtype = dtype
        self.has_lowest = False
        self._model = ModelBuilder("costs")
        self._random = np.random.default_rng(5)
        self._inputs, self._outputs = [], []

    def _numbers(self, dtype, numbers):
        return numbers or _NUMBERS.get(dtype, {})

    def input(self, shape, dtype=None, **numbers):
        """Add an input of the model and return it."""
        dtype = dtype or (FLOAT32 if self.dtype == HYBRID else self.dtype)
        self._inputs.append(self._model.tensor(shape, dtype, **self._numbers(dtype, numbers)))
        return self._inputs[-1]

    def rectified(self, shape):
        """Return what a RELU writes, half of it zeros."""
        source = self.input(shape)
        output = self._model.tensor(shape, FLOAT32)
        self._model.operator("RELU", [source], [output])
        return output

    def output(self, shape, dtype=None, **numbers):
        """Add an output of the model and return it."""
        dtype = dtype or (FLOAT32 if self.dtype == HYBRID else self.dtype)
        self._outputs.append(self._model.tensor(shape, dtype, **self._numbers(dtype, numbers)))
        return self._outputs[-1]

    def integers(self, *values):
        """Return a constant of int32."""
        return self._model.tensor((len(values),), "int32", values)

    def weights(self, shape, axis, is_float=False):
        """Return random weights with a scale for each channel of `axis`; None: one scale."""
        if self.dtype == FLOAT32 or is_float:
            return self._model.tensor(shape, FLOAT32, self._random.normal(0, 0.1, shape))
        scales = self._random.uniform(0.001, 0.002, 1 if axis is None else shape[axis])
        values = self._random.normal(0, 35, shape).clip(-127, 127).astype(int)
        if self.has_lowest:
            values.flat[0] = -128
        return self._model.tensor(
            shape, INT8, values, scale=scales, zero_point=0, quantized_dimension=axis or 0
        )

    def bias(self, count):
        """Return the bias of `count` channels."""
        if self.dtype in (FLOAT32, HYBRID):
            return self._model.tensor((count,), FLOAT32, self._random.normal(0, 1, count))
        kind = "int64" if self.dtype == INT16 else "int32"
        values = self._random.integers(-2000, 2000, count)
        return self._model.tensor((count,), kind, values, scale=1e-4, zero_point=0)

    def keep(self, source, output):
        """Add a variable that is read to `output`, and set to `source`."""
        handle = self._model.tensor((), "resource")
        name = str(len(self._outputs))
        self._model.operator("VAR_HANDLE", [], [handle], shared_name=name, container="")
        self._model.operator("READ_VARIABLE", [handle], [output])
        self._model.operator("ASSIGN_VARIABLE", [handle, source], [])

    def add(self, name, inputs, output, **options):
        """Add an operator."""
        self._model.operator(name, inputs, [output], **options)

    def build(self):
        """Return the bytes of the .tflite."""
        self._model.io(self._inputs, self._outputs)
        return self._model.build()


def _sides(height, width, window, stride, padding):
    if padding == "SAME":
        return -(-height // stride), -(-width // stride)
    return (height - window[0]) // stride + 1, (width - window[1]) // stride + 1


# (height, width, channels, filters, window, stride, padding)
_CONVOLUTIONS = (
    (4, 4, 8, 16, (3, 3), 1, "SAME"), (3, 3, 16, 24, (3, 3), 1, "SAME"),
    (6, 6, 3, 8, (3, 3), 2, "SAME"), (3, 3, 32, 16, (1, 1), 1, "SAME"),
    (6, 6, 16, 16, (1, 1), 1, "SAME"), (8, 8, 4, 8, (1, 1), 1, "SAME"),
    (1, 1, 128, 16, (1, 1), 1, "SAME"), (10, 6, 1, 8, (10, 4), 2, "SAME"),
    (6, 6, 8, 4, (5, 5), 1, "VALID"), (1, 12, 16, 8, (1, 5), 1, "SAME"),
    (6, 6, 8, 1, (3, 3), 1, "SAME"), (8, 8, 1, 4, (3, 3), 1, "VALID"),
    (4, 4, 16, 16, (3, 3), 2, "SAME"), (1, 10, 8, 8, (1, 3), 1, "VALID"),
    (9, 9, 3, 8, (5, 5), 2, "VALID"), (10, 10, 8, 8, (3, 3), 1, "SAME"),
)  # fmt: skip


def _convolution(sheet, shape, has_zeros=False):
    height, width, channels, filters, window, stride, padding, *rest = shape
    dilation, groups = rest or (1, 1)
    reach = [dilation * (side - 1) + 1 for side in window]
    if window[0] == 1:
        reach[0] = 1
    source = (sheet.rectified if has_zeros else sheet.input)((1, height, width, channels))
    weights = sheet.weights((filters, *window, channels // groups), 0)
    output = sheet.output((1, *_sides(height, width, reach, stride, padding), filters))
    sheet.add(
        "CONV_2D", [source, weights, sheet.bias(filters)], output, stride_h=stride,
        stride_w=stride, padding=padding, dilation_w_factor=dilation,
        dilation_h_factor=dilation if window[0] > 1 else 1, fused_activation_function="RELU",
    )  # fmt: skip


_LARGE_CONVOLUTIONS = (
    (25, 5, 64, 32, (1, 1), 1, "SAME"), (16, 16, 8, 16, (3, 3), 1, "SAME"),
    (12, 12, 16, 24, (1, 1), 1, "SAME"), (20, 20, 3, 8, (3, 3), 2, "SAME"),
    (6, 6, 64, 48, (1, 1), 1, "SAME"),
    (16, 16, 1, 8, (3, 3), 2, "SAME"), (16, 16, 8, 1, (3, 3), 1, "SAME"),
)  # fmt: skip
_DILATED = (
    (5, 5, 8, 8, (3, 3), 1, "SAME", 2, 1), (1, 12, 16, 8, (1, 3), 1, "VALID", 4, 1),
    (3, 3, 32, 8, (3, 3), 1, "SAME", 2, 1), (1, 20, 8, 8, (1, 3), 1, "VALID", 4, 1),
    (8, 8, 4, 4, (3, 3), 1, "VALID", 2, 1), (1, 10, 24, 6, (1, 2), 1, "VALID", 2, 1),
    (8, 8, 8, 2, (3, 3), 1, "VALID", 3, 1), (1, 48, 16, 16, (1, 3), 1, "SAME", 2, 1),
    (1, 40, 16, 16, (1, 3), 1, "SAME", 8, 1), (10, 10, 8, 8, (3, 3), 1, "SAME", 2, 1),
)  # fmt: skip
_GROUPED = (
    (3, 3, 16, 16, (3, 3), 1, "SAME", 1, 4), (3, 3, 32, 16, (3, 3), 1, "SAME", 1, 8),
    (5, 5, 8, 8, (3, 3), 1, "VALID", 1, 2), (3, 3, 32, 16, (1, 1), 1, "SAME", 1, 4),
    (5, 5, 16, 16, (3, 3), 2, "SAME", 1, 2), (2, 2, 64, 16, (1, 1), 1, "SAME", 1, 2),
    (6, 6, 8, 8, (3, 3), 1, "SAME", 1, 4), (12, 12, 16, 16, (3, 3), 1, "SAME", 1, 4),
    (10, 10, 24, 24, (3, 3), 1, "SAME", 1, 2), (8, 8, 32, 32, (1, 1), 1, "SAME", 1, 8),
)  # fmt: skip
# (height, width, channels, window, stride, padding, multiplier, dilation)
_DEPTHWISE = (
    (6, 6, 16, (3, 3), 1, "SAME", 1, 1), (3, 3, 64, (3, 3), 1, "SAME", 1, 1),
    (8, 8, 8, (3, 3), 2, "SAME", 1, 1), (5, 5, 12, (5, 5), 1, "SAME", 1, 1),
    (1, 20, 16, (1, 5), 1, "SAME", 1, 1), (6, 5, 32, (3, 3), 1, "VALID", 1, 1),
    (10, 10, 4, (3, 3), 1, "SAME", 1, 1), (2, 2, 128, (3, 3), 1, "SAME", 1, 1),
    (4, 4, 32, (3, 3), 2, "SAME", 1, 1), (9, 9, 12, (3, 3), 2, "SAME", 1, 1),
    (12, 12, 8, (3, 3), 1, "SAME", 1, 1),
)  # fmt: skip
_LARGE_DEPTHWISE = (
    (25, 5, 64, (3, 3), 1, "SAME", 1, 1), (24, 24, 8, (3, 3), 1, "SAME", 1, 1),
    (24, 24, 16, (3, 3), 2, "SAME", 1, 1), (6, 6, 128, (3, 3), 1, "SAME", 1, 1),
    (12, 12, 32, (3, 3), 2, "SAME", 1, 1),
)  # fmt: skip
_DEPTHWISE_ODD = (
    (7, 7, 8, (3, 3), 1, "VALID", 1, 2), (1, 16, 8, (1, 3), 1, "VALID", 1, 4),
    (9, 9, 16, (3, 3), 1, "VALID", 1, 3), (1, 24, 16, (1, 5), 1, "VALID", 1, 2),
    (6, 6, 3, (3, 3), 1, "SAME", 1, 1), (5, 5, 8, (3, 3), 1, "SAME", 1, 2),
    (8, 1, 16, (5, 1), 1, "VALID", 1, 1), (12, 1, 12, (9, 1), 1, "VALID", 1, 1),
    (5, 1, 32, (5, 1), 1, "VALID", 1, 1), (21, 1, 16, (21, 1), 1, "VALID", 1, 1),
)  # fmt: skip
_DEPTHWISE_MULTIPLIED = (
    (8, 8, 1, (3, 3), 1, "SAME", 8, 1), (5, 5, 8, (3, 3), 1, "SAME", 2, 1),
    (10, 8, 1, (10, 8), 2, "SAME", 4, 1), (6, 6, 3, (3, 3), 2, "SAME", 8, 1),
    (6, 6, 4, (5, 5), 1, "SAME", 4, 1), (1, 16, 4, (1, 3), 1, "SAME", 2, 1),
    (4, 4, 32, (3, 3), 1, "SAME", 2, 1),
)  # fmt: skip

_DEPTHWISE_NARROW = (
    (6, 6, 3, (3, 3), 1, "SAME", 1, 1), (8, 8, 1, (3, 3), 1, "VALID", 1, 1),
    (5, 5, 2, (5, 5), 1, "SAME", 1, 1), (12, 12, 3, (3, 3), 2, "SAME", 1, 1),
    (1, 30, 1, (1, 5), 1, "VALID", 1, 1),
)  # fmt: skip


def _depthwise(sheet, shape, has_zeros=False):
    height, width, channels, window, stride, padding, multiplier, dilation = shape
    reach = [dilation * (side - 1) + 1 for side in window]
    source = (sheet.rectified if has_zeros else sheet.input)((1, height, width, channels))
    filters = channels * multiplier
    weights = sheet.weights((1, *window, filters), 3, is_float=sheet.dtype == HYBRID)
    output = sheet.output((1, *_sides(height, width, reach, stride, padding), filters))
    sheet.add(
        "DEPTHWISE_CONV_2D", [source, weights, sheet.bias(filters)], output, stride_h=stride,
        stride_w=stride, padding=padding, depth_multiplier=multiplier,
        dilation_w_factor=dilation, dilation_h_factor=dilation if window[0] > 1 else 1,
        fused_activation_function="RELU",
    )  # fmt: skip


# (rows, depth, units)
_DENSE = (
    (1, 16, 8), (1, 64, 32), (1, 128, 32), (1, 320, 8), (1, 200, 10), (1, 10, 60), (1, 33, 7),
    (4, 32, 16), (8, 16, 16), (1, 784, 4), (1, 2, 3), (20, 24, 24), (32, 6, 24), (16, 48, 20),
    (8, 256, 64),
)  # fmt: skip


def _dense(sheet, shape, has_zeros=False):
    rows, depth, units = shape
    source = (sheet.rectified if has_zeros else sheet.input)((rows, depth))
    bias = None if sheet.dtype == INT16 else sheet.bias(units)
    inputs = [source, sheet.weights((units, depth), None), bias]
    options = {"fused_activation_function": "RELU"}
    sheet.add("FULLY_CONNECTED", inputs, sheet.output((rows, units)), **options)


# (height, width, channels, filters, side, stride)
_TRANSPOSED = (
    (3, 3, 16, 4, 3, 2), (2, 2, 32, 8, 3, 2), (6, 6, 8, 1, 3, 2), (3, 3, 8, 8, 2, 2),
    (3, 3, 16, 4, 4, 2), (3, 3, 12, 8, 3, 1), (2, 2, 64, 4, 2, 2), (7, 7, 16, 8, 3, 2),
    (8, 8, 8, 8, 3, 2), (6, 6, 16, 12, 4, 2), (10, 10, 12, 8, 4, 2),
)  # fmt: skip


def _transposed(sheet, shape):
    height, width, channels, filters, side, stride = shape
    sides = height * stride, width * stride
    inputs = [
        sheet.integers(1, *sides, filters), sheet.weights((filters, side, side, channels), 0),
        sheet.input((1, height, width, channels)), sheet.bias(filters),
    ]  # fmt: skip
    options = {"stride_h": stride, "stride_w": stride, "padding": "SAME"}
    output = sheet.output((1, *sides, filters))
    sheet.add("TRANSPOSE_CONV", inputs, output, version=3, **options)


# (batches, rows, depth, columns, right side transposed)
_PRODUCTS = (
    (1, 6, 16, 6, False), (2, 8, 12, 8, True), (1, 8, 32, 8, False), (4, 6, 8, 6, True),
    (1, 6, 64, 8, True), (2, 8, 16, 6, False), (1, 10, 10, 20, False), (1, 5, 5, 5, True),
    (1, 32, 6, 32, False), (1, 32, 32, 6, False), (1, 24, 64, 24, False),
)  # fmt: skip


def _product(sheet, shape):
    batches, rows, depth, columns, adj_y = shape
    second = (batches, columns, depth) if adj_y else (batches, depth, columns)
    inputs = [sheet.input((batches, rows, depth)), sheet.input(second)]
    output = sheet.output((batches, rows, columns), **_scaled(sheet.dtype, 0.4))
    sheet.add("BATCH_MATMUL", inputs, output, adj_y=adj_y)


def _scaled(dtype, scale):
    return {
        INT8: {"scale": scale, "zero_point": 4},
        INT16: {"scale": scale / 128, "zero_point": 0},
    }.get(dtype, {})


# Shapes of both inputs of a binary operator.
_PAIRS = (
    ((1, 6, 6, 16), (1, 6, 6, 16)), ((1, 64), (1, 64)), ((1, 8, 8, 8), (1, 8, 8, 8)),
    ((1, 6, 6, 16), (16,)), ((1, 8, 8, 4), (4,)), ((1, 6, 6, 16), (1, 1, 1, 16)),
    ((1, 6, 6, 16), (1,)), ((1, 12, 24), (1, 12, 1)), ((1, 16), (1, 16)), ((1, 300), (1, 300)),
)  # fmt: skip


def _binary(name, **options):
    def add(sheet, shapes):
        inputs = [sheet.input(shapes[0]), sheet.input(shapes[1])]
        scale = {} if name in ("MAXIMUM", "MINIMUM") else _scaled(sheet.dtype, 0.1)
        output = sheet.output(shapes[0], **scale)
        sheet.add(name, inputs, output, **options)

    return add


_SHAPES = ((1, 6, 6, 16), (1, 64), (1, 8, 8, 8), (1, 16), (1, 250), (1, 20, 20))


def _unary(name, limits=None, **options):
    def add(sheet, shape):
        numbers = limits.get(sheet.dtype, {}) if limits else {}
        source = sheet.input(shape, **(numbers if limits is _POSITIVE else {}))
        sheet.add(name, [source], sheet.output(shape, **numbers), **options)

    return add


_FRACTIONS = {
    INT8: {"scale": 1 / 256, "zero_point": -128},
    INT16: {"scale": 2**-15, "zero_point": 0},
}
_SIGNED = {INT8: {"scale": 1 / 128, "zero_point": 0}, INT16: {"scale": 2**-15, "zero_point": 0}}
_POSITIVE = {INT8: {"scale": 0.01, "zero_point": -128}}
_LOGS = {INT8: {"scale": 16 / 256, "zero_point": 127}}
_ROWS = ((1, 4), (1, 10), (10, 20), (4, 50), (1, 200), (1, 12), (20, 4))


# (height, width, channels, window, stride, padding)
_WINDOWS = (
    (8, 8, 16, (2, 2), 2, "VALID"), (12, 5, 32, (12, 5), 1, "VALID"),
    (8, 8, 8, (3, 3), 1, "SAME"), (12, 12, 4, (4, 4), 4, "VALID"),
    (6, 6, 32, (3, 3), 2, "SAME"), (1, 30, 16, (1, 2), 2, "VALID"), (7, 7, 24, (2, 2), 2, "VALID"),
)  # fmt: skip


def _pool(name):
    def add(sheet, shape):
        height, width, channels, window, stride, padding = shape
        output = sheet.output((1, *_sides(height, width, window, stride, padding), channels))
        sheet.add(
            name, [sheet.input((1, height, width, channels))], output, stride_h=stride,
            stride_w=stride, filter_height=window[0], filter_width=window[1], padding=padding,
        )  # fmt: skip

    return add


_REDUCED = (
    ((1, 8, 8, 16), (1, 2)), ((1, 40, 24), (1,)), ((1, 12, 16), (2,)), ((1, 6, 6, 64), (1, 2)),
    ((1, 12, 12, 8), (1, 2)), ((1, 100, 8), (1,)), ((1, 20, 20), (2,)),
)  # fmt: skip


def _reduce(name, keeps_dims=False):
    def add(sheet, pair):
        shape, axes = pair
        kept = [1 if i in axes else side for i, side in enumerate(shape)]
        left = kept if keeps_dims else [s for i, s in enumerate(shape) if i not in axes]
        numbers = _scaled(sheet.dtype, 0.05) if name == "MEAN" else {}
        output = sheet.output(left, **numbers)
        inputs = [sheet.input(shape), sheet.integers(*axes)]
        sheet.add(name, inputs, output, keep_dims=keeps_dims)

    return add


def _resize(name):
    def add(sheet, shape):
        height, width, channels, factor = shape
        sides = height * factor, width * factor
        inputs = [sheet.input((1, height, width, channels)), sheet.integers(*sides)]
        sheet.add(name, inputs, sheet.output((1, *sides, channels)), half_pixel_centers=True)

    return add


_RESIZED = ((4, 4, 16, 2), (6, 6, 4, 2), (3, 3, 32, 2), (3, 3, 8, 3), (8, 8, 1, 2), (5, 5, 8, 2))


def _pad(sheet, shape):
    inputs = [sheet.input(shape), sheet._model.tensor((4, 2), "int32", [0, 0, 1, 1, 1, 1, 0, 0])]
    sheet.add("PAD", inputs, sheet.output((1, shape[1] + 2, shape[2] + 2, shape[3])))


def _concatenate(sheet, shape):
    inputs = [sheet.input(shape), sheet.input(shape)]
    sheet.add("CONCATENATION", inputs, sheet.output((*shape[:-1], 2 * shape[-1])), axis=3)


def _transpose(sheet, shape):
    output = sheet.output([shape[0], shape[3], shape[1], shape[2]])
    sheet.add("TRANSPOSE", [sheet.input(shape), sheet.integers(0, 3, 1, 2)], output)


def _slice(sheet, shape):
    inputs = [
        sheet.input(shape),
        sheet.integers(0, 0, 0, 0),
        sheet.integers(*shape[:3], shape[3] // 2),
    ]
    sheet.add("SLICE", inputs, sheet.output((*shape[:3], shape[3] // 2)))


def _strided_slice(sheet, shape):
    ends = sheet.integers(*shape[:3], shape[3] // 2)
    inputs = [sheet.input(shape), sheet.integers(0, 0, 0, 0), ends, sheet.integers(1, 1, 1, 1)]
    sheet.add("STRIDED_SLICE", inputs, sheet.output((*shape[:3], shape[3] // 2)))


_IMAGES = ((1, 8, 8, 16), (1, 12, 12, 8), (1, 4, 4, 4), (1, 6, 6, 32))


def _convert(name, source, target):
    def add(sheet, shape):
        sheet.add(
            name,
            [sheet.input(shape, source)],
            sheet.output(shape, target, **_scaled(target, 0.04)),
        )

    return add


def _prelu(sheet, shape):
    slopes = sheet.weights((1,) * (len(shape) - 2) + (shape[-1],), None)
    sheet.add("PRELU", [sheet.input(shape), slopes], sheet.output(shape))


# Yield (name, bytes) of the sheets of one operator: {dtypes: shapes}.
def _variable(sheet, shape):
    sheet.keep(sheet.input(shape), sheet.output(shape))


def _sheets(name, dtypes, add, shapes):
    for dtype in dtypes:
        sheet = Sheet(dtype)
        for shape in shapes:
            add(sheet, shape)
        yield f"{name}-{dtype}", sheet.build()


def _with_zeros(add):
    return lambda sheet, shape: add(sheet, shape, has_zeros=True)


def _with_lowest(add):
    def add_to(sheet, shape):
        sheet.has_lowest = True
        add(sheet, shape)

    return add_to


_MULTIPLYING = (
    ("conv", (*_ALL, HYBRID), _convolution, _CONVOLUTIONS),
    ("conv-large", (*_ALL, HYBRID), _convolution, _LARGE_CONVOLUTIONS),
    ("conv-dilated", (*_ALL, HYBRID), _convolution, _DILATED),
    ("conv-grouped", (*_ALL, HYBRID), _convolution, _GROUPED),
    ("conv-zeros", (FLOAT32,), _with_zeros(_convolution), _CONVOLUTIONS),
    ("depthwise", (*_ALL, HYBRID), _depthwise, _DEPTHWISE),
    ("depthwise-large", _ALL, _depthwise, _LARGE_DEPTHWISE),
    ("depthwise-odd", (*_ALL, HYBRID), _depthwise, _DEPTHWISE_ODD),
    ("depthwise-narrow", (FLOAT32,), _depthwise, _DEPTHWISE_NARROW),
    ("depthwise-multiplied", (*_ALL, HYBRID), _depthwise, _DEPTHWISE_MULTIPLIED),
    ("depthwise-zeros", (FLOAT32,), _with_zeros(_depthwise), _DEPTHWISE),
    ("dense", (*_ALL, HYBRID), _dense, _DENSE),
    ("dense-zeros", (FLOAT32,), _with_zeros(_dense), _DENSE),
    ("transposed", (*_ALL, HYBRID), _transposed, _TRANSPOSED),
    ("product", _ALL, _product, _PRODUCTS),
    ("conv-lowest", (INT8,), _with_lowest(_convolution), _CONVOLUTIONS),
    ("depthwise-lowest", (INT8,), _with_lowest(_depthwise), _DEPTHWISE),
    ("dense-lowest", (INT8,), _with_lowest(_dense), _DENSE),
)
# Each shape is a model, so that the output overlaps the input, which slows kernels for the FPU.
_FIRST_LAYERS = (12, 12, 1, 6, (5, 5), 1, "VALID"), (14, 14, 1, 4, (3, 3), 1, "SAME")
_SHARED = (
    (
        "conv", _convolution,
        (*_CONVOLUTIONS[:6], *_CONVOLUTIONS[8:11], *_LARGE_CONVOLUTIONS[1:3], *_FIRST_LAYERS),
    ),
    ("conv-dilated", _convolution, _DILATED[::2]), ("depthwise", _depthwise, _DEPTHWISE[::2]),
)  # fmt: skip
_BINARY = (
    ("ADD", (*_ALL, INT32)), ("SUB", _ALL), ("MUL", (*_ALL, INT32)), ("DIV", (FLOAT32,)),
    ("MAXIMUM", _ALL), ("MINIMUM", _ALL), ("SQUARED_DIFFERENCE", (INT8, FLOAT32)),
)  # fmt: skip
_UNARY = (
    ("RELU", _ALL, None), ("RELU6", _ALL, None), ("LEAKY_RELU", _ALL, None),
    ("LOGISTIC", _ALL, _FRACTIONS), ("TANH", _ALL, _SIGNED), ("HARD_SWISH", (INT8, FLOAT32), None),
    ("ELU", (INT8, FLOAT32), None), ("GELU", _ALL, None), ("EXP", (FLOAT32,), None),
    ("LOG", (FLOAT32,), None), ("SQRT", (FLOAT32,), None), ("RSQRT", (INT8, FLOAT32), _POSITIVE),
    ("ABS", (FLOAT32,), None), ("NEG", (FLOAT32,), None), ("SIN", (FLOAT32,), None),
    ("FLOOR", (FLOAT32,), None), ("ROUND", (FLOAT32,), None), ("SQUARE", (FLOAT32,), None),
)  # fmt: skip


def sheets():
    """Yield (name, bytes of a .tflite) of all models."""
    for entry in _MULTIPLYING:
        yield from _sheets(*entry)
    for name, add, shapes in _SHARED:
        for number, shape in enumerate(shapes):
            yield from _sheets(f"{name}-shared-{number}", (FLOAT32,), add, [shape])
    for name, dtypes in _BINARY:
        yield from _sheets(name, dtypes, _binary(name), _PAIRS)
    for name, dtypes, limits in _UNARY:
        options = {"alpha": 0.2} if name == "LEAKY_RELU" else {}
        yield from _sheets(name, dtypes, _unary(name, limits, **options), _SHAPES)
    yield from _sheets("SOFTMAX", _ALL, _unary("SOFTMAX", _FRACTIONS, beta=1.0), _ROWS)
    yield from _sheets("LOG_SOFTMAX", (INT8, FLOAT32), _unary("LOG_SOFTMAX", _LOGS), _ROWS)
    yield from _sheets("PRELU", (INT8, FLOAT32), _prelu, _IMAGES)
    for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        yield from _sheets(name, _ALL, _pool(name), _WINDOWS)
    for name, dtypes in (
        ("MEAN", _ALL),
        ("SUM", _ALL),
        ("REDUCE_MAX", _ALL),
    ):
        yield from _sheets(name, dtypes, _reduce(name), _REDUCED)
    for name in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        yield from _sheets(name, _ALL, _resize(name), _RESIZED)
    for name, add in (
        ("PAD", _pad), ("CONCATENATION", _concatenate), ("TRANSPOSE", _transpose),
        ("SLICE", _slice), ("STRIDED_SLICE", _strided_slice),
    ):  # fmt: skip
        yield from _sheets(name, _ALL, add, _IMAGES)
    for name, source, target in (
        ("QUANTIZE", FLOAT32, INT8), ("QUANTIZE", FLOAT32, INT16), ("QUANTIZE", INT8, INT8),
        ("QUANTIZE", INT16, INT8), ("QUANTIZE", INT8, INT16), ("DEQUANTIZE", INT8, FLOAT32),
        ("DEQUANTIZE", INT16, FLOAT32), ("CAST", INT8, FLOAT32), ("QUANTIZE", INT8, UINT8),
    ):  # fmt: skip
        yield from _sheets(f"{name}-{source}", (target,), _convert(name, source, target), _SHAPES)
    yield from _sheets("variable", (INT8, FLOAT32), _variable, _SHAPES)
    yield from _recurrent()


# (steps, inputs, units)
_LSTMS = ((4, 8, 8), (4, 16, 16), (3, 28, 20), (6, 10, 12), (3, 6, 30))
# (inputs, filters, memory, rank)
_SVDFS = ((20, 16, 8, 1), (40, 32, 10, 2), (16, 64, 4, 1), (64, 16, 12, 1))


# (rows, inputs, units)
_GRUS = ((4, 3, 5), (6, 10, 16), (3, 20, 24), (8, 8, 8), (2, 12, 40))


def _recurrent():
    for number, (rows, size, units) in enumerate(_GRUS):
        yield f"gru-{number}-float32", test_gru.loop(rows=rows, size=size, units=units)
    lstm = test_unidirectional_sequence_lstm
    for number, (steps, size, state) in enumerate(_LSTMS):
        shape = {"steps": steps, "size": size, "state": state}
        yield f"lstm-{number}-float32", lstm.floating(**shape)
        for dtype in (INT8, INT16):
            zero_points = (0, 0) if dtype == INT16 else (-5, 3)  # as converters write it
            model = lstm.quantized(dtype, zero_points=zero_points, **shape)
            yield f"lstm-{number}-{dtype}", model
    for number, (size, filters, memory, rank) in enumerate(_SVDFS):
        shape = {"size": size, "filters": filters, "memory": memory, "rank": rank}
        yield f"svdf-{number}-float32", test_svdf_float.float_model(**shape)
        yield f"svdf-{number}-int8", test_svdf.int8_model(**shape)
