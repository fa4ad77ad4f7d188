# tflm: CONV_2D: Prepare (TFLM conv_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import REQUANTIZE, check, check_dtype
from .convolution import (
    WINDOWS,
    check_output,
    needs_split,
    output_shape,
    requantize_fields,
    windows,
)

INT8 = (
    ("input", "weights", "bias", "output", "taps", "accumulators")
    + WINDOWS
    + ("filter_channels", "input_offset")
    + REQUANTIZE
)

_OPTIONS = const(1)  # Conv2DOptions
_PADDING = const(0)
_STRIDE_W = const(1)
_STRIDE_H = const(2)
_FUSED_ACTIVATION_FUNCTION = const(3)
_DILATION_W_FACTOR = const(4)
_DILATION_H_FACTOR = const(5)
_QUANTIZED_BIAS_TYPE = const(6)
_BLOCK = 64  # taps and accumulators that the kernel unpacks at a time


def output_shapes(node):
    return [output_shape(node, _windows(node))]


# Return the fields of WINDOWS.
def _windows(node):
    weights, options = node.input(1), node.options(_OPTIONS)
    check(len(weights.shape) == 4, node, "%s must have 4 dimensions" % weights)
    stride = options.get(_STRIDE_H, "i"), options.get(_STRIDE_W, "i")
    dilation = options.get(_DILATION_H_FACTOR, "i", 1), options.get(_DILATION_W_FACTOR, "i", 1)
    return windows(node, options.get(_PADDING, "b"), stride, dilation, weights.shape[0])


def prepare(context, node):
    source, weights, options = node.input(0), node.input(1), node.options(_OPTIONS)
    fields = _windows(node)
    check_output(node, fields)
    _check_groups(node, source.shape[3], weights.shape[3], weights.shape[0])
    fields["filter_channels"] = weights.shape[3]
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    activation = options.get(_FUSED_ACTIVATION_FUNCTION, "b")
    is_fast = source.dtype != dtypes.INT8 or context.target_packing == "lanes"
    if context.may_reorder_weights and is_fast:
        from .split_conv import is_line, turned

        if is_line(fields):
            node, fields = turned(node, fields)
    if source.dtype == dtypes.FLOAT32:
        if weights.dtype in (dtypes.INT8, dtypes.INT4):
            from .hybrid import emit_conv, int8_weights

            node = int8_weights(context, node)
        else:
            from .conv_float import emit_conv

        emit_conv(context, node, activation, fields)
        return
    if weights.dtype == dtypes.INT4:
        from .unpack_int4 import unpack_weights

        node = unpack_weights(context, node)
    if source.dtype == dtypes.INT16:
        from .conv_int16 import emit_conv

        emit_conv(context, node, activation, options.get(_QUANTIZED_BIAS_TYPE, "b"), fields)
        return
    if weights.dtype == dtypes.UINT8:
        from .conv_unsigned import emit_conv

        emit_conv(context, node, activation, fields)
        return
    _prepare_int8(context, node, activation, fields)


# A filter with fewer channels than the input has is for groups of channels.
def _check_groups(node, input_channels, filter_channels, output_channels):
    check(
        filter_channels > 0 and input_channels > 0 and input_channels % filter_channels == 0,
        node,
        "%d input channels cannot be cut into groups of %d" % (input_channels, filter_channels),
    )
    groups = input_channels // filter_channels
    check(
        output_channels % groups == 0,
        node,
        "%d filters cannot serve %d groups" % (output_channels, groups),
    )


def _prepare_int8(context, node, activation, fields):
    weights, target = node.input(1), node.output(0)
    quantized, table = requantize_fields(node, activation, fields["output_channels"])
    fields.update(quantized)
    if emit_packed(context, node, fields, table):
        return
    if needs_split(context, fields):
        from .split_conv import emit_split, with_whole_words

        def emit(sub, windows):
            quantized, table = requantize_fields(sub, activation, windows["output_channels"])
            windows.update(quantized)
            return emit_packed(context, sub, windows, table)

        sub, own = node, fields
        if context.target_packing == "dsp":
            sub, own = with_whole_words(node, fields)
        if not needs_split(context, own):
            if emit(sub, own):
                return
        elif emit_split(context, sub, node.input(0), own, emit):
            return
    outputs = target.elements()
    taps = weights.elements() // max(1, weights.shape[0])
    context.emit(
        "conv.eval_int8",
        INT8,
        target.shape[0] * target.shape[1] if outputs else 0,
        outputs * taps,
        table=table,
        input=node.input(0),
        weights=weights,
        bias=node.optional_input(2),
        output=target,
        taps=context.request_scratch_buffer(4 * min(taps, _BLOCK)),
        accumulators=context.request_scratch_buffer(4 * min(2 * outputs, _BLOCK)),
        **fields,
    )


# Emit an int8 CONV_2D with packed weights. Return False if the target has no kernel for it.
# fields, table: WINDOWS, filter_channels, and what requantize_fields() returned.
def emit_packed(context, node, fields, table):
    if context.target_packing == "dsp":
        from .conv_dsp import emit_conv

        if emit_conv(context, node, fields, table):
            return True
    if context.target_packing == "pie":
        from .pie import emit_conv

        if emit_conv(context, node, fields, table):
            return True
    if context.target_packing is None:
        return False
    from .conv_lanes import emit_conv

    return emit_conv(context, node, fields, table)
