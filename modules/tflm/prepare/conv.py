# tflm: CONV_2D: Prepare (TFLM conv_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import REQUANTIZE, check, check_dtype
from .convolution import WINDOWS, requantize_fields, windows

INT8 = (
    ("input", "weights", "bias", "output", "taps", "accumulators")
    + WINDOWS
    + ("filter_channels", "input_offset")
    + REQUANTIZE
)

_OPTIONS = 1  # Conv2DOptions
_BLOCK = 64  # taps and accumulators that the kernel holds at a time


def prepare(context, node):
    source, weights = node.input(0), node.input(1)
    check(len(weights.shape) == 4, node, "%s must have 4 dimensions" % weights)
    options = node.options(_OPTIONS)
    stride = options.get(2, "i"), options.get(1, "i")
    dilation = options.get(5, "i", 1), options.get(4, "i", 1)
    channels, depth = weights.shape[0], weights.shape[3]
    fields = windows(node, options.get(0, "b"), stride, dilation, channels)
    _check_groups(node, source.shape[3], depth, channels)
    fields["filter_channels"] = depth
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        if weights.dtype == dtypes.INT8:
            from .hybrid import emit_conv
        else:
            from .conv_float import emit_conv

        emit_conv(context, node, options.get(3, "b"), fields)
        return
    if source.dtype == dtypes.INT16:
        from .conv_int16 import emit_conv

        emit_conv(context, node, options.get(3, "b"), options.get(6, "b"), fields)
        return
    if weights.dtype == dtypes.INT4:
        from .unpack_int4 import unpack_weights

        node = unpack_weights(context, node)
    _prepare_int8(context, node, options.get(3, "b"), fields)


# A filter with fewer channels than the input is for groups of channels.
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
    if context.target == "armv7em":
        from .conv_dsp import emit_conv

        if emit_conv(context, node, fields, table):
            return
    if context.target is not None:
        from .conv_lanes import emit_conv

        if emit_conv(context, node, fields, table):
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
