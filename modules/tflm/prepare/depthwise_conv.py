# tflm: DEPTHWISE_CONV_2D: Prepare (TFLM depthwise_conv_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import REQUANTIZE, check, check_dtype
from .convolution import WINDOWS, requantize_fields, windows

INT8 = ("input", "weights", "bias", "output", "taps") + WINDOWS + ("input_offset",) + REQUANTIZE

_OPTIONS = 2  # DepthwiseConv2DOptions
_MOST_TAPS = 128  # whose weights the kernel can hold as words


def prepare(context, node):
    source, weights = node.input(0), node.input(1)
    check(
        len(weights.shape) == 4 and weights.shape[0] == 1,
        node,
        "%s must have 4 dimensions, the first of them 1" % weights,
    )
    options = node.options(_OPTIONS)
    stride = options.get(2, "i"), options.get(1, "i")
    dilation = options.get(6, "i", 1), options.get(5, "i", 1)
    channels = weights.shape[3]
    fields = windows(node, options.get(0, "b"), stride, dilation, channels)
    multiplier = options.get(3, "i")
    check(
        source.shape[3] * multiplier == channels,
        node,
        "%d channels times multiplier %d are not %d" % (source.shape[3], multiplier, channels),
    )
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        if weights.dtype == dtypes.INT8:
            from .hybrid import emit_depthwise_conv
        else:
            from .conv_float import emit_depthwise_conv

        emit_depthwise_conv(context, node, options.get(4, "b"), fields)
        return
    if source.dtype == dtypes.INT16:
        from .conv_int16 import emit_depthwise_conv

        emit_depthwise_conv(context, node, options.get(4, "b"), fields)
        return
    if weights.dtype == dtypes.INT4:
        from .unpack_int4 import unpack_weights

        node = unpack_weights(context, node)
    _prepare_int8(context, node, options.get(4, "b"), fields)


def _prepare_int8(context, node, activation, fields):
    weights, target = node.input(1), node.output(0)
    quantized, table = requantize_fields(node, activation, fields["output_channels"])
    fields.update(quantized)
    if context.target == "armv7em":
        from .depthwise_dsp import emit_depthwise_conv

        if emit_depthwise_conv(context, node, fields, table):
            return
    if context.target is not None:
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
        taps=context.request_scratch_buffer(4 * min(taps, _MOST_TAPS)),
        **fields,
    )
