# tflm: CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED with weights of uint8, of old converters
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import (
    REQUANTIZE,
    activation_range,
    check,
    check_dtype,
    check_quantized,
    requantize_table,
    scale_of,
    support,
)
from .convolution import WINDOWS, check_bias

UNSIGNED = (
    ("input", "weights", "bias", "output", "accumulators")
    + WINDOWS
    + ("depth", "group_channels", "channel_step", "cell_step")
    + ("input_offset", "weights_offset", "block", "once")
    + REQUANTIZE
)

_MAX_TAPS = 1 << 15  # the sum of this number of products of nine bits fits 32 bits
_BLOCK = 64


# Emit a FULLY_CONNECTED as a convolution of one pixel for each batch.
def emit_fully_connected(context, node, activation, channels, depth):
    fields = {name: 1 for name in WINDOWS}
    fields.update({"input_channels": depth, "output_channels": channels})
    fields.update({"padding_height": 0, "padding_width": 0})
    fields.update({"depth": depth, "group_channels": channels or 1})
    fields.update({"channel_step": depth, "cell_step": depth})
    _emit(context, node, activation, fields, once=True)


# Emit a CONV_2D. `fields`: WINDOWS and filter_channels.
def emit_conv(context, node, activation, fields):
    weights = node.input(1)
    depth = fields.pop("filter_channels")
    groups = fields["input_channels"] // depth
    cells = weights.shape[1] * weights.shape[2]
    fields.update({"depth": depth, "channel_step": cells * depth, "cell_step": depth})
    fields["group_channels"] = max(1, fields["output_channels"] // groups)
    _emit(context, node, activation, fields)


# Emit a DEPTHWISE_CONV_2D: groups of one channel. `fields`: WINDOWS.
def emit_depthwise_conv(context, node, activation, fields):
    channels = fields["output_channels"]
    fields.update({"depth": 1, "channel_step": 1, "cell_step": channels})
    fields["group_channels"] = max(1, channels // max(1, fields["input_channels"]))
    _emit(context, node, activation, fields)


# tflite/unsigned.py has made the input int8. Sums are rounded as in LiteRT's reference kernels:
# once in FULLY_CONNECTED; twice in convolutions, first to 31 bits. With a multiplier of 1 or more
# they are rounded once in all operators.
def _emit(context, node, activation, fields, once=False):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    channels = fields["output_channels"]
    check_dtype(node, source, dtypes.INT8)
    check_dtype(node, target, dtypes.INT8)
    check_bias(node, bias, channels, dtypes.INT32)
    for tensor in (source, weights, target):
        check_quantized(node, tensor)
    check(weights.scales_length() == 1, node, "%s must have one scale" % weights)
    taps = fields["filter_height"] * fields["filter_width"] * fields["depth"]
    support(taps < _MAX_TAPS, node, "a filter of %d elements" % taps)
    if not target.elements():
        return
    product = scale.multiply(scale_of(source), scale_of(weights))
    multiplier = scale.quantize_multiplier(scale.divide(product, scale_of(target)))
    low, high = activation_range(node, target, activation)
    block = min(channels, _BLOCK)
    context.emit(
        "conv_unsigned.eval_int8",
        UNSIGNED,
        target.elements(),
        target.elements() * (taps + 8),
        table=requantize_table([multiplier]),
        input=source if taps else None,
        weights=weights if taps else None,
        bias=bias,
        output=target,
        accumulators=context.request_scratch_buffer(4 * block),
        # Bytes are read unsigned with the top bit flipped: 128 more than the int8 value.
        input_offset=128 + source.zero_point(),
        weights_offset=weights.zero_point(),
        block=block,
        once=1 if once and multiplier[1] < 0 else 0,
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=0,
        channels=1,
        **fields,
    )
