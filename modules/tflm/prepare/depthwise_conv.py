# tflm: DEPTHWISE_CONV_2D: Prepare (TFLM depthwise_conv_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import REQUANTIZE, check, check_dtype
from .convolution import WINDOWS, check_output, output_shape, requantize_fields, windows

INT8 = ("input", "weights", "bias", "output", "taps") + WINDOWS + ("input_offset",) + REQUANTIZE

_OPTIONS = const(2)  # DepthwiseConv2DOptions
_PADDING = const(0)
_STRIDE_W = const(1)
_STRIDE_H = const(2)
_DEPTH_MULTIPLIER = const(3)
_FUSED_ACTIVATION_FUNCTION = const(4)
_DILATION_W_FACTOR = const(5)
_DILATION_H_FACTOR = const(6)
_MAX_TAPS = 128  # number of weights that the kernel can unpack to words
_MIN_CONV_ROW = 4  # width of a filter that pays as a CONV_2D with lanes, two weights of a row each


def output_shapes(node):
    return [output_shape(node, _windows(node))]


# Return the fields of WINDOWS.
def _windows(node):
    weights, options = node.input(1), node.options(_OPTIONS)
    check(
        len(weights.shape) == 4 and weights.shape[0] == 1,
        node,
        "%s must have 4 dimensions, the first of them 1" % weights,
    )
    stride = options.get(_STRIDE_H, "i"), options.get(_STRIDE_W, "i")
    dilation = options.get(_DILATION_H_FACTOR, "i", 1), options.get(_DILATION_W_FACTOR, "i", 1)
    return windows(node, options.get(_PADDING, "b"), stride, dilation, weights.shape[3])


def prepare(context, node):
    source, weights, options = node.input(0), node.input(1), node.options(_OPTIONS)
    fields = _windows(node)
    check_output(node, fields)
    channels = fields["output_channels"]
    multiplier = options.get(_DEPTH_MULTIPLIER, "i")
    check(
        source.shape[3] * multiplier == channels,
        node,
        "%d channels times multiplier %d are not %d" % (source.shape[3], multiplier, channels),
    )
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    activation = options.get(_FUSED_ACTIVATION_FUNCTION, "b")
    if weights.dtype != dtypes.UINT8 and _emit_as_conv(context, node, activation, fields):
        return
    if source.dtype == dtypes.FLOAT32:
        if weights.dtype == dtypes.INT8:
            from .hybrid import emit_depthwise_conv
        else:
            from .conv_float import emit_depthwise_conv

        emit_depthwise_conv(context, node, activation, fields)
        return
    if source.dtype == dtypes.INT16:
        from .conv_int16 import emit_depthwise_conv

        emit_depthwise_conv(context, node, activation, fields)
        return
    if weights.dtype == dtypes.UINT8:
        from .conv_unsigned import emit_depthwise_conv

        emit_depthwise_conv(context, node, activation, fields)
        return
    if weights.dtype == dtypes.INT4:
        from .unpack_int4 import unpack_weights

        node = unpack_weights(context, node)
    _prepare_int8(context, node, activation, fields)


# Emit a CONV_2D if there is machine code for it; return False otherwise.
def _emit_as_conv(context, node, activation, fields):
    source, weights = node.input(0), node.input(1)
    if not context.may_reorder_weights or weights.dtype == dtypes.INT4:
        return False
    if source.dtype == dtypes.INT8 and weights.shape[2] < _MIN_CONV_ROW:
        if context.target_packing == "lanes":
            return False
        if context.target_packing == "dsp":
            from .depthwise_dsp import has_kernel

            if has_kernel(fields):
                return False
    from .split_depthwise import as_conv

    several = source.shape[3] < fields["output_channels"]
    grouped = several and source.dtype == dtypes.INT16 and context.target_packing == "dsp"
    conv = as_conv(node, grouped)
    if conv is None or not node.output(0).elements():
        return False
    windows = dict(fields)
    windows["filter_channels"] = 1
    if source.dtype == dtypes.INT8:
        from .conv import emit_packed

        quantized, table = requantize_fields(conv, activation, windows["output_channels"])
        windows.update(quantized)
        return emit_packed(context, conv, windows, table)
    if weights.dtype == dtypes.INT8 and source.dtype == dtypes.FLOAT32:
        return False
    bias = node.optional_input(2)
    if source.dtype == dtypes.FLOAT32:
        from .conv_float import emit_conv

        emit_conv(context, conv, activation, windows)
    elif bias is None or bias.dtype == dtypes.INT64:
        from .conv_int16 import emit_conv

        emit_conv(context, conv, activation, 0, windows)
    else:
        return False
    return True


def _prepare_int8(context, node, activation, fields):
    weights, target = node.input(1), node.output(0)
    quantized, table = requantize_fields(node, activation, fields["output_channels"])
    fields.update(quantized)
    # In banded execution other bands may have padding, and all bands share the kernel.
    is_padded = node.part_of and any(node.part_of[1])
    if not is_padded and (context.target_packing is not None or node.input(0).step):
        from .depthwise_column import emit_depthwise_conv

        if emit_depthwise_conv(context, node, fields, table):
            return
    if context.target_packing == "dsp":
        from .depthwise_dsp import emit_depthwise_conv

        if emit_depthwise_conv(context, node, fields, table):
            return
    if context.target_packing == "pie":
        from .pie import emit_depthwise_conv

        if emit_depthwise_conv(context, node, fields, table):
            return
    if context.target_packing is not None:
        from .depthwise_lanes import emit_depthwise_conv

        if emit_depthwise_conv(context, node, fields, table):
            return
    taps = weights.shape[1] * weights.shape[2]
    context.emit(
        "depthwise_conv.eval_int8",
        INT8,
        target.shape[0] * target.shape[1] if target.elements() else 0,
        target.elements() * taps,
        table=table,
        input=node.input(0),
        weights=weights,
        bias=node.optional_input(2),
        output=target,
        taps=context.request_scratch_buffer(4 * min(taps, _MAX_TAPS)),
        **fields,
    )
