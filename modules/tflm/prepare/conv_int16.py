# tflm: CONV_2D and DEPTHWISE_CONV_2D, int16 with weights of int8: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .convolution import (
    WINDOWS,
    channel_multipliers,
    check_bias,
    needs_split,
)
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

# Of the kernel for pairs of pixels.
LANE_BYTES = 2048  # of windows in the scratch buffer, or of two pairs of pixels
_PAIRS_BLOCK = 4  # pixels for which it unpacks weights once, at least
_PAIRS_PIXELS = 3  # for which it is faster
_NUMBERS_BYTES = 48  # of four channels
_MAX_SHIFT = 17  # of a multiplier: to the right
_PAIRS_SPEED = 2  # a multiply-accumulate of this kernel is that much faster
_LANES_SPEED = 3  # for targets with lanes: a slice takes at most about 35 ms on a Pico
_MAX_SUM = 65535  # of absolute weights, times 32768


# Emit a CONV_2D. `fields`: WINDOWS and filter_channels. With a bias of int32 sums are int32, too.
def emit_conv(context, node, activation, bias_type, fields):
    if context.target_packing != "dsp" and needs_split(context, fields):
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
    kernel, work = "conv_int16.eval_int16", weights.elements()
    scratch = scratch_bytes(kind, fields["output_channels"], work)
    at_once = 1
    channels = fields["output_channels"]
    pixels = node.output(0).elements() // max(1, channels)
    multipliers = channel_multipliers(node, node.input(0), weights, node.output(0), channels)
    if has_pairs(context, kind, weights, channels, pixels, multipliers):
        kernel = "conv_int16_dsp.eval_int16"
        scratch = max(scratch, pairs_bytes(work // channels, groups, pixels))
        work //= _PAIRS_SPEED
        at_once = _PAIRS_BLOCK
    elif context.target_packing == "lanes":
        work //= _LANES_SPEED
        at_once = _PAIRS_BLOCK
    emit_pixels(
        context,
        node,
        activation,
        kernel,
        CONV,
        kind,
        work,
        scratch,
        at_once=at_once,
        group_channels=max(1, fields["output_channels"] // groups),
        bias_kind=kind,
        offsets=matrix_offsets(kind),
        **fields,
    )


# Return the bytes of the scratch buffer of the kernel for pairs of pixels: windows of pixels,
# weights of four channels, and numbers for their outputs. window: inputs of an output.
def pairs_bytes(window, groups, pixels):
    pair = (window + 1) // 2 * 8  # bytes of two windows
    pairs = min(max(2, LANE_BYTES // (pair * groups)), (pixels + 1) // 2)
    return pairs * pair * groups + 2 * pair + _NUMBERS_BYTES


# Whether the kernel for pairs of pixels can compute `pixels` pixels: it sums up products of a
# channel in 32 bits, unpacks weights for several pixels, and scales sums by less than a half, but
# not by much less.
def has_pairs(context, kind, weights, channels, pixels, multipliers):
    if context.target_packing != "dsp" or kind != 1 or pixels < _PAIRS_PIXELS:
        return False
    if not channels or not weights.elements():
        return False
    for multiplier, shift in multipliers:
        if multiplier and not -_MAX_SHIFT <= shift < 0:
            return False
    window = weights.elements() // channels
    if window <= _MAX_SUM >> 7:
        return True
    if not weights.is_constant():
        return False
    values = struct.unpack("<%db" % weights.elements(), bytes(weights.data))
    for first in range(0, len(values), window):
        if sum([abs(value) for value in values[first : first + window]]) > _MAX_SUM:
            return False
    return True


# Emit a FULLY_CONNECTED for pairs of rows as a CONV_2D of a line of pixels. fields: of the record,
# without the geometry.
def emit_rows(context, batches, channels, depth, fields, table):
    geometry = dict.fromkeys(WINDOWS, 1)
    geometry["padding_height"] = geometry["padding_width"] = 0
    geometry["input_width"] = geometry["output_width"] = batches
    geometry["input_channels"] = depth
    geometry["output_channels"] = channels
    scratch = scratch_bytes(1, channels, depth)
    context.emit(
        "conv_int16_dsp.eval_int16",
        CONV,
        batches,
        batches * channels * (depth // _PAIRS_SPEED + 1),
        table=table,
        at_once=_PAIRS_BLOCK,
        scratch=context.request_scratch_buffer(max(scratch, pairs_bytes(depth, 1, batches))),
        filter_channels=depth,
        group_channels=channels,
        bias_kind=1,
        offsets=matrix_offsets(1),
        **geometry,
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
