# tflm: CONV_2D and DEPTHWISE_CONV_2D, int16 with weights of int8: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .convolution import WINDOWS, channel_multipliers, check_bias, needs_split
from .requantize_int16 import (
    REQUANTIZE_INT16,
    bias_kind,
    matrix_offsets,
    requantize_int16_fields,
    scratch_bytes,
)

_OPERANDS = ("input", "weights", "bias", "output", "scratch")
CONV = (
    _OPERANDS
    + WINDOWS
    + ("filter_channels", "group_channels", "bias_kind", "offsets")
    + REQUANTIZE_INT16
)
DEPTHWISE = _OPERANDS + WINDOWS + REQUANTIZE_INT16


# Emit a CONV_2D. `fields`: WINDOWS and filter_channels. With a bias of int32 sums are int32, too.
def emit_conv(context, node, activation, bias_type, fields):
    if needs_split(context, fields):
        from .split_conv import emit_split

        def emit(sub, windows):
            _emit_windows(context, sub, activation, bias_type, windows)
            return True

        if emit_split(context, node, node.input(0), fields, emit):
            return
    _emit_windows(context, node, activation, bias_type, fields)


def _emit_windows(context, node, activation, bias_type, fields):
    weights = node.input(1)
    groups = fields["input_channels"] // fields["filter_channels"]
    kind = check_types(node, (dtypes.INT32, dtypes.INT64), bias_type, fields)
    emit_pixels(
        context,
        node,
        activation,
        "conv_int16.eval_int16",
        CONV,
        kind,
        weights.elements(),
        scratch_bytes(kind, fields["output_channels"], weights.elements()),
        group_channels=max(1, fields["output_channels"] // groups),
        bias_kind=kind,
        offsets=matrix_offsets(kind),
        **fields,
    )


# Write the record of DEPTHWISE_CONV_2D. `fields`: WINDOWS.
def emit_depthwise_conv(context, node, activation, fields):
    kind = check_types(node, (dtypes.INT64,), 0, fields)
    emit_pixels(
        context,
        node,
        activation,
        "depthwise_conv_int16.eval_int16",
        DEPTHWISE,
        kind,
        2 * node.input(1).elements(),
        scratch_bytes(kind, fields["output_channels"], 1),
        **fields,
    )


# Check all types and the size of the bias, and return the argument of start_sums.
def check_types(node, allowed, bias_type, fields):
    bias = node.optional_input(2)
    kind = bias_kind(node, node.input(0), node.input(1), bias, node.output(0), allowed, bias_type)
    if bias is not None:
        check_bias(node, bias, fields["output_channels"], bias.dtype)
    return kind


# Write a record whose units, output pixels, cost `work` each. As in TFLM the zero points of the
# input and the output are ignored, except for the range of the activation.
def emit_pixels(context, node, activation, kernel, layout, kind, work, scratch, **fields):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    channels = fields["output_channels"]
    multipliers = channel_multipliers(node, source, weights, target, channels)
    quantized, table = requantize_int16_fields(node, target, activation, multipliers, kind)
    fields.update(quantized)
    pixels = target.elements() // channels if channels else 0
    context.emit(
        kernel,
        layout,
        pixels,
        pixels * (work + channels),
        table=table,
        input=source,
        weights=weights,
        bias=node.optional_input(2),
        output=target,
        scratch=context.request_scratch_buffer(scratch),
        **fields,
    )
