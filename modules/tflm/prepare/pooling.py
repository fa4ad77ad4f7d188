# tflm: AVERAGE_POOL_2D, MAX_POOL_2D: Prepare (TFLM pooling_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import (
    activation_range,
    check,
    check_dtype,
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

_OPTIONS = 5  # Pool2DOptions
_MAX_POOL_2D = 17
_SAME, _VALID = 0, 1
_SAME_SCALE = (4722366482869645, -72)  # 1e-6 as a double
_FAR = 1 << 28  # cells from the first window to the end of the last one
_MAX_CELLS = 1 << 15  # of a window: sums of int16 stay below 2**30


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    check_dtype(node, target, source.dtype)
    geometry = pool_geometry(node, source, target)
    activation = node.options(_OPTIONS).get(5, "b")
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
    kernel = "pooling" if source.dtype == dtypes.INT8 else "pooling_int16"
    emit_pooling(context, node, kernel + ".eval_" + dtypes.name(source.dtype), geometry, low, high)


# Write the record; units are output rows. `low` and `high` are the fused activation's range.
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


# Check shapes and options; the words of the record that say which cells each window has.
def pool_geometry(node, source, target):
    options = node.options(_OPTIONS)
    for tensor in (source, target):
        check(len(tensor.shape) == 4, node, "%s must have 4 dimensions" % tensor)
    padding = options.get(0, "b")
    support(padding in (_SAME, _VALID), node, "padding %d" % padding)
    batches, in_height, in_width, channels = source.shape
    if node.padding is None:
        height, top = _windows(node, padding, in_height, options.get(4, "i"), options.get(2, "i"))
        width, left = _windows(node, padding, in_width, options.get(3, "i"), options.get(1, "i"))
    else:
        from .convolution import padded_window_of

        sides = (0, in_height, options.get(4, "i"), options.get(2, "i"))
        height, top = padded_window_of(node, *sides, 1)
        sides = (1, in_width, options.get(3, "i"), options.get(1, "i"))
        width, left = padded_window_of(node, *sides, 1)
    shape = (batches, height, width, channels)
    check(target.shape == shape, node, "%s should have shape %s" % (target, list(shape)))
    # A window never has more cells than this; that keeps the products of the kernel small.
    cells = min(options.get(4, "i"), in_height) * min(options.get(3, "i"), in_width)
    support(cells <= _MAX_CELLS, node, "a window of %d cells" % cells)
    far = max(
        height * options.get(2, "i") + options.get(4, "i"),
        width * options.get(1, "i") + options.get(3, "i"),
    )
    support(far < _FAR, node, "a window or stride that reaches %d cells far" % far)
    return {
        "input_height": in_height,
        "input_width": in_width,
        "channels": channels,
        "output_height": height,
        "output_width": width,
        "filter_height": options.get(4, "i"),
        "filter_width": options.get(3, "i"),
        "stride_height": options.get(2, "i"),
        "stride_width": options.get(1, "i"),
        "padding_height": top,
        "padding_width": left,
    }


# How many windows there are along one dimension, and how many cells lie before its first cell
# (padding.h: ComputeOutSize, ComputePaddingWithOffset).
def _windows(node, padding, size, window, stride):
    check(window > 0 and stride > 0, node, "window %d with stride %d" % (window, stride))
    if padding == _SAME:
        count = (size + stride - 1) // stride
    else:
        count = max(0, size + stride - window) // stride
    return count, max(0, (count - 1) * stride + window - size) // 2
