# tflm: Convolution2DTransposeBias: Prepare (not in TFLM; MediaPipe transpose_conv_bias.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import NONE, check, check_dtype, check_outputs
from .transpose_conv import emit_float32

# The options are TfLiteTransposeConvParams in C's layout: padding and strides, int32 each.
_OPTIONS = "<iii"
_SAME = 1
_VALID = 2
_LARGEST = 1 << 12  # larger than any stride of an image


# Return (outputs, padding before the first) along one side.
def _side(size, window, stride, is_same):
    cut = max(0, window - (size - 1) % stride - 1) if is_same and size else 0
    return stride * (size - 1) + window - cut if size else 0, cut // 2


# Return the geometry of the kernel of TRANSPOSE_CONV, each number as (height, width).
def _geometry(node):
    options, source, weights = bytes(node.custom_options), node.input(0), node.input(1)
    check(len(options) >= 12, node, "its options have %d bytes, not 12" % len(options))
    padding, stride_width, stride_height = struct.unpack_from(_OPTIONS, options)
    check(padding in (_SAME, _VALID), node, "padding %d does not exist" % padding)
    strides = stride_height, stride_width
    check(min(strides) > 0 and max(strides) < _LARGEST, node, "strides %s" % (strides,))
    for tensor in (source, weights):
        check(len(tensor.shape) == 4, node, "%s must have 4 dimensions" % tensor)
    check(source.shape[3] == weights.shape[3], node, "%s does not fit %s" % (source, weights))
    sides = [
        _side(source.shape[i], weights.shape[i], strides[i - 1], padding == _SAME) for i in (1, 2)
    ]
    return strides, [size for size, _ in sides], [before for _, before in sides]


def output_shapes(node):
    _, sizes, _ = _geometry(node)
    return [(node.input(0).shape[0],) + tuple(sizes) + (node.input(1).shape[0],)]


# It has the inputs of a CONV_2D and the record of a TRANSPOSE_CONV.
def prepare(context, node):
    check(len(node.inputs) == 3, node, "it must have 3 inputs")
    source, weights = node.input(0), node.input(1)
    check_dtype(node, source, dtypes.FLOAT32)
    strides, sizes, before = _geometry(node)
    check(min(sizes) >= 0, node, "%s does not fit %s" % (source, weights))
    check_outputs(node, output_shapes(node))
    fields = {"input_channels": source.shape[3], "output_channels": weights.shape[0]}
    for i, side in enumerate(("height", "width")):
        fields["input_" + side] = source.shape[1 + i]
        fields["output_" + side] = sizes[i]
        fields["filter_" + side] = weights.shape[1 + i]
        fields["stride_" + side] = strides[i]
        fields["padding_" + side] = before[i]
    emit_float32(context, node, NONE, fields)
