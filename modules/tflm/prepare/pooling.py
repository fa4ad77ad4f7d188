# tflm: AVERAGE_POOL_2D, MAX_POOL_2D: Prepare (TFLM pooling_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    activation_range,
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    float_activation_range,
    product,
    scale_of,
    support,
)

POOLING = (
    "input",
    "output",
    "maximum",
    "input_height",
    "input_width",
    "channels",
    "output_height",
    "output_width",
    "filter_height",
    "filter_width",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
    "activation_min",
    "activation_max",
)

_OPTIONS = const(5)  # Pool2DOptions
_PADDING = const(0)
_STRIDE_W = const(1)
_STRIDE_H = const(2)
_FILTER_WIDTH = const(3)
_FILTER_HEIGHT = const(4)
_FUSED_ACTIVATION_FUNCTION = const(5)
_MAX_POOL_2D = const(17)
_SAME, _VALID = 0, 1
_SAME_SCALE = (4722366482869645, -72)  # 1e-6 as a double
_FAR = 1 << 28  # cells from the first window to the end of the last one
_MAX_CELLS = 1 << 15  # of a window: sums of int16 stay below 2**30


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    check_dtype(node, target, source.dtype)
    geometry = pool_geometry(node)
    activation = node.options(_OPTIONS).get(_FUSED_ACTIVATION_FUNCTION, "b")
    if source.dtype == dtypes.FLOAT32:
        from .pooling_float import MAXIMUM, MEAN, emit_pooling_float

        kind = MAXIMUM if node.builtin_code == _MAX_POOL_2D else MEAN
        low, high = float_activation_range(node, activation)
        emit_pooling_float(context, node, geometry, kind, low, high)
        return
    for tensor in (source, target):
        check_quantized(node, tensor)
    m, e = scale_of(target)
    m, e = scale.add(scale_of(source), (0 - m, e), scale.SINGLE)
    check(
        source.zero_point() == target.zero_point() and not scale.less(_SAME_SCALE, (abs(m), e)),
        node,
        "%s and %s differ in quantization" % (source, target),
    )
    low, high = activation_range(node, target, activation)
    if source.was_unsigned and node.builtin_code != _MAX_POOL_2D:
        kernel = "pooling_unsigned.eval_average"
    elif source.dtype == dtypes.INT8:
        kernel = "pooling.eval_int8"
    else:
        kernel = "pooling_int16.eval_int16"
    emit_pooling(context, node, kernel, geometry, low, high)


# Write the record; units are output rows. `low` and `high` are the range of the fused activation.
def emit_pooling(context, node, kernel, geometry, low, high):
    source, target = node.input(0), node.output(0)
    cells = geometry["filter_height"] * geometry["filter_width"]
    context.emit(
        kernel,
        POOLING,
        product(target.shape[:2]) if target.elements() else 0,
        target.elements() * (cells + 4),
        input=source,
        output=target,
        maximum=1 if node.builtin_code == _MAX_POOL_2D else 0,
        activation_min=low,
        activation_max=high,
        **geometry,
    )


# Return the words of the record that describe the windows, after checking shapes and options.
def pool_geometry(node):
    fields = _fields(node)
    check_outputs(node, [_shape(node, fields)])
    height, width = fields["filter_height"], fields["filter_width"]
    # The number of cells of a window is limited by this; it keeps the kernel's products small.
    cells = min(height, fields["input_height"]) * min(width, fields["input_width"])
    support(cells <= _MAX_CELLS, node, "a window of %d cells" % cells)
    far = max(
        fields["output_height"] * fields["stride_height"] + height,
        fields["output_width"] * fields["stride_width"] + width,
    )
    support(far < _FAR, node, "a window or stride of %d cells" % far)
    return fields


# Return the shape of the output.
def pool_shape(node):
    return [_shape(node, _fields(node))]


def _shape(node, fields):
    batches, _, _, channels = node.input(0).shape
    return (batches, fields["output_height"], fields["output_width"], channels)


def _fields(node):
    source, options = node.input(0), node.options(_OPTIONS)
    check(len(source.shape) == 4, node, "%s must have 4 dimensions" % source)
    padding = options.get(_PADDING, "b")
    support(padding in (_SAME, _VALID), node, "padding %d" % padding)
    filters = options.get(_FILTER_HEIGHT, "i"), options.get(_FILTER_WIDTH, "i")
    strides = options.get(_STRIDE_H, "i"), options.get(_STRIDE_W, "i")
    fields = {"channels": source.shape[3]}
    for i, side in enumerate(("height", "width")):
        size = source.shape[1 + i]
        if node.padding is None:
            count, before = _windows(node, padding, size, filters[i], strides[i])
        else:
            from .convolution import padded_window_of

            count, before = padded_window_of(node, i, size, filters[i], strides[i], 1)
        fields["input_" + side] = size
        fields["output_" + side] = count
        fields["filter_" + side] = filters[i]
        fields["stride_" + side] = strides[i]
        fields["padding_" + side] = before
    return fields


output_shapes = pool_shape


# Return the number of windows along one dimension, and the number of cells before the input's
# first cell (padding.h: ComputeOutSize, ComputePaddingWithOffset).
def _windows(node, padding, size, window, stride):
    check(window > 0 and stride > 0, node, "window %d with stride %d" % (window, stride))
    if padding == _SAME:
        count = (size + stride - 1) // stride
    else:
        count = max(0, size + stride - window) // stride
    return count, max(0, (count - 1) * stride + window - size) // 2
