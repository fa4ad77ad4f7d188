# tflm: helpers of convolutions and FULLY_CONNECTED in Prepare (TFLM conv_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import (
    activation_range,
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    requantize_table,
    scale_of,
)

_BIAS_TOLERANCE = (5764607523034235, -58)  # 0.02 as C's double

# Words of a record: the windows of the filter over the input.
WINDOWS = (
    "input_height",
    "input_width",
    "input_channels",
    "output_height",
    "output_width",
    "output_channels",
    "filter_height",
    "filter_width",
    "stride_height",
    "stride_width",
    "dilation_height",
    "dilation_width",
    "padding_height",
    "padding_width",
)

_SAME, _VALID = 0, 1
_LARGEST = 1 << 24  # exceeds any image; keeps every position of a window within 31 bits


# Return the fields of WINDOWS, after checking the shapes of input and filter. `stride` and
# `dilation` are (height, width); `channels` is the number of output channels.
def windows(node, padding, stride, dilation, channels):
    source, weights = node.input(0), node.input(1)
    for tensor in (source, weights):
        check(len(tensor.shape) == 4, node, "%s must have 4 dimensions" % tensor)
    fields = {"input_channels": source.shape[3], "output_channels": channels}
    for i, side in enumerate(("height", "width")):
        size, window = source.shape[1 + i], weights.shape[1 + i]
        if node.padding is None:
            out, before = window_of(node, padding, size, window, stride[i], dilation[i])
        else:
            out, before = padded_window_of(node, i, size, window, stride[i], dilation[i])
        fields["input_" + side] = size
        fields["output_" + side] = out
        fields["filter_" + side] = window
        fields["stride_" + side] = stride[i]
        fields["dilation_" + side] = dilation[i]
        fields["padding_" + side] = before
    return fields


# Return the shape of the output for these fields.
def output_shape(node, fields):
    sides = fields["output_height"], fields["output_width"]
    return (node.input(0).shape[0],) + sides + (fields["output_channels"],)


# Refuse an output that does not fit these fields.
def check_output(node, fields):
    target = node.output(0)
    check(len(target.shape) == 4, node, "%s must have 4 dimensions" % target)
    check_outputs(node, [output_shape(node, fields)], "%s should be %s")


# Return the number of windows along one side, and the padding before the first: of an odd sum of
# paddings the smaller half (padding.h: ComputeOutSize, ComputePaddingWithOffset).
def window_of(node, padding, size, window, stride, dilation):
    check(padding in (_SAME, _VALID), node, "padding %d does not exist" % padding)
    check(window > 0, node, "the filter is empty")
    check(stride > 0 and dilation > 0, node, "stride and dilation must be 1 or more")
    reach = (window - 1) * dilation + 1
    check(reach < _LARGEST and stride < _LARGEST, node, "stride or dilation is too large")
    if padding == _SAME:
        out = (size + stride - 1) // stride
    else:
        out = max(0, (size + stride - reach) // stride)
    return out, max(0, (out - 1) * stride + reach - size) // 2


# Return the number of windows and the padding before the first where the host has folded a PAD
# into the node, whose own padding was VALID. As with the padding of the options, each window
# overlaps the input; kernels rely on this.
def padded_window_of(node, side, size, window, stride, dilation):
    before, after = node.padding[side], node.padding[side + 2]
    out, _ = window_of(node, _VALID, before + size + after, window, stride, dilation)
    reach = (window - 1) * dilation + 1
    inside = 0 <= before < reach and after >= 0 and (out - 1) * stride - before < size
    check(inside, node, "a padding of %d and %d is too large" % (before, after))
    return out, before


# Refuse a bias that does not fit.
def check_bias(node, bias, channels, dtype):
    if bias is None:
        return
    check(bias.elements() == channels, node, "%s should have %d elements" % (bias, channels))
    check_dtype(node, bias, dtype)


# Return the fields of common.REQUANTIZE and of the input's offset, and the table, for int8.
# Multipliers are computed from the product of the scales in double; the zero point of the weights
# is ignored.
def requantize_fields(node, activation, channels):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    check_dtype(node, target, source.dtype)
    check_dtype(node, weights, dtypes.INT8)
    check_bias(node, node.optional_input(2), channels, dtypes.INT32)
    check_quantized(node, source)
    check_quantized(node, target)
    multipliers = channel_multipliers(node, source, weights, target, channels)
    low, high = activation_range(node, target, activation)
    fields = {
        # Bytes are read unsigned with the top bit flipped: 128 more than the int8 value.
        "input_offset": 128 + source.zero_point(),
        "output_zero_point": target.zero_point(),
        "activation_min": low,
        "activation_max": high,
        "per_channel": 1 if len(multipliers) > 1 else 0,
        "channels": len(multipliers),
    }
    return fields, requantize_table(multipliers)


# Return one multiplier for each scale of the weights: input scale * weights' scale / output scale.
def channel_multipliers(node, source, weights, target, channels):
    count = weights.scales_length()
    axis = weights.quantized_dimension
    check(
        count == 1
        or (count == channels and 0 <= axis < len(weights.shape) and weights.shape[axis] == count),
        node,
        "%s must have one scale, or one for each of %d channels" % (weights, channels),
    )
    source_scale, target_scale = scale_of(source), scale_of(target)
    multipliers = []
    for channel in range(count):
        weights_scale = scale_of(weights, channel)
        check(weights_scale[0] >= 0, node, "%s has a negative scale" % weights)
        product = scale.multiply(source_scale, weights_scale)
        multipliers.append(scale.quantize_multiplier(scale.divide(product, target_scale)))
    return multipliers


# Return the multiplier of all channels, computed in double as in TFLM's wheel (TFLM's sources of
# 2026-08 still compute the product in float32). TFLM refuses a bias with another scale than the
# product.
def multiplier_of(node, source, weights, bias, target):
    product = scale.multiply(scale_of(source), scale_of(weights))
    if bias is not None:
        m, e = scale.add(product, (0 - scale_of(bias)[0], scale_of(bias)[1]))
        difference = scale.divide((abs(m), e), scale_of(target))
        check(
            not scale.less(_BIAS_TOLERANCE, difference),
            node,
            "%s must have the input's scale times the weights' scale" % bias,
        )
    return scale.quantize_multiplier(scale.divide(product, scale_of(target)))


# Return whether split_conv.emit_split() may help a CONV_2D with the words WINDOWS and
# filter_channels. The machine code of x64, which has no target, computes groups and dilation
# itself. Boards do not split: they have no RAM for reordered weights.
def needs_split(context, fields):
    if not context.may_reorder_weights or context.target_packing is None:
        return False
    has_groups = fields["filter_channels"] != fields["input_channels"]
    return has_groups or horizontal_dilation(fields) > 1


# Return the horizontal dilation; 1 for a filter of one column, whose dilation has no effect.
def horizontal_dilation(fields):
    return fields["dilation_width"] if fields["filter_width"] > 1 else 1
