# tflm: hybrid operators, which TFLM lacks: float32 with weights of int8 ("dynamic range"): Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import FLOAT_WORK, check, check_dtype, float_activation_range, support
from .convolution import WINDOWS, check_bias, needs_split
from .strided import check_same_dtype

QUANTIZE = (
    "input", "quantized", "scales", "offsets", "extremes", "steps", "depth", "asymmetric",
)  # fmt: skip
HYBRID = (
    ("quantized", "scales", "offsets", "weights", "weight_scales", "bias", "output")
    + WINDOWS
    + ("depth", "group_channels", "channel_step", "cell_step", "per_channel")
    + ("activation_min", "activation_max")
)

_MAX_TAPS = 1 << 16  # the sum of this number of products of int8 fits 32 bits
_QUANTIZE_WORK = 3 * FLOAT_WORK


# Return the node with weights of int8; a record unpacks int4 first.
def int8_weights(context, node):
    weights = node.input(1)
    if weights.dtype != dtypes.INT4:
        return node
    from .unpack_int4 import unpack_weights

    support(weights.scales_length() > 0, node, "a scale for each block of %s" % weights)
    return unpack_weights(context, node)


# Emit a FULLY_CONNECTED as a convolution of one pixel for each batch.
def emit_fully_connected(context, node, activation, batches, channels, depth, asymmetric):
    fields = {name: 1 for name in WINDOWS}
    fields.update({"input_channels": depth, "output_channels": channels})
    fields.update({"padding_height": 0, "padding_width": 0})
    fields.update({"depth": depth, "group_channels": channels or 1})
    fields.update({"channel_step": depth, "cell_step": depth})
    _emit(context, node, activation, batches, asymmetric, fields)


# Emit a CONV_2D. `fields`: WINDOWS and filter_channels. LiteRT quantizes the input asymmetrically
# if the weights have a scale for each channel.
def emit_conv(context, node, activation, fields):
    source, asymmetric = node.input(0), node.input(1).scales_length() > 1
    if not needs_split(context, fields) or not node.output(0).elements():
        fields = _conv_fields(node, fields)
        _emit(context, node, activation, source.shape[0], asymmetric, fields)
        return
    from .split_conv import emit_split
    from .sub_nodes import ScratchTensor

    _check(node, fields["output_channels"], node.input(1).elements() // node.input(1).shape[0])
    quantized = quantize(context, source, source.shape[0], asymmetric)

    def emit(sub, windows):
        own = dict(quantized)
        own["quantized"] = sub.input(0)
        emit_windows(context, sub, activation, own, windows)
        return True

    source = ScratchTensor(source, source.shape, quantized["quantized"], dtypes.INT8)
    if not emit_split(context, node, source, fields, emit):
        emit_windows(context, node, activation, quantized, fields)


# Emit a CONV_2D whose input is quantized already. quantized: what quantize() returned.
def emit_windows(context, node, activation, quantized, fields):
    fields = _conv_fields(node, fields)
    fields.update(quantized)
    _emit_sums(context, node, activation, fields)


# Return the fields of a CONV_2D, from WINDOWS and filter_channels.
def _conv_fields(node, fields):
    weights = node.input(1)
    depth = fields.pop("filter_channels")
    groups = fields["input_channels"] // depth
    cells = weights.shape[1] * weights.shape[2]
    fields.update({"depth": depth, "channel_step": cells * depth, "cell_step": depth})
    fields["group_channels"] = max(1, fields["output_channels"] // groups)
    return fields


# Emit a DEPTHWISE_CONV_2D: groups of one channel. `fields`: WINDOWS. LiteRT always quantizes the
# input asymmetrically, also for one channel with one scale.
def emit_depthwise_conv(context, node, activation, fields):
    channels = fields["output_channels"]
    fields.update({"depth": 1, "channel_step": 1, "cell_step": channels})
    fields["group_channels"] = max(1, channels // max(1, fields["input_channels"]))
    _emit(context, node, activation, node.input(0).shape[0], True, fields)


# Two records: the input as int8, with a scale for each batch; then the operator.
def _emit(context, node, activation, batches, asymmetric, fields):
    taps = fields["filter_height"] * fields["filter_width"] * fields["depth"]
    _check(node, fields["output_channels"], taps)
    if not node.output(0).elements():
        return
    fields.update(quantize(context, node.input(0), batches, asymmetric))
    _emit_sums(context, node, activation, fields)


# Check the types of the operands. taps: products of a sum.
def _check(node, channels, taps):
    check_bias(node, node.optional_input(2), channels, dtypes.FLOAT32)
    check_operands(node, node.output(0), channels, taps)


def _emit_sums(context, node, activation, fields):
    target = node.output(0)
    taps = fields["filter_height"] * fields["filter_width"] * fields["depth"]
    fields.update(epilogue(context, node, activation))
    context.emit(
        "hybrid.eval_float32",
        HYBRID,
        target.elements(),
        target.elements() * (taps + 4 * FLOAT_WORK),
        weights=node.input(1) if taps else None,
        bias=node.optional_input(2),
        output=target,
        **fields,
    )


# Check the types of the input, the weights (input 1) and the output. `taps`: products of a sum.
def check_operands(node, target, channels, taps):
    weights = node.input(1)
    check_same_dtype(node, node.input(0), (target,))
    check_dtype(node, weights, dtypes.INT8)
    count = weights.scales_length()
    check(count == 1 or count >= channels > 0, node, "%s has %d scales" % (weights, count))
    for i in range(count):
        check(weights.zero_point(i) == 0, node, "%s has a zero point" % weights)
    support(taps < _MAX_TAPS, node, "a filter of %d elements" % taps)


# Emit the quantization of a tensor to int8, with a scale for each batch. Return the fields of the
# results.
def quantize(context, source, batches, asymmetric):
    request = context.request_scratch_buffer
    shared = {
        "quantized": request(max(1, source.elements())),
        "scales": request(4 * batches),
        "offsets": request(4 * batches),
    }
    context.emit(
        "hybrid_quantize.eval_float32",
        QUANTIZE,
        batches,
        source.elements() * _QUANTIZE_WORK,
        input=source,
        extremes=request(8),
        steps=context.constant(struct.pack("<f", 255 if asymmetric else 127)),
        depth=source.elements() // batches,
        asymmetric=1 if asymmetric else 0,
        **shared,
    )
    return shared


# Return the fields of the scales of the weights and of the activation.
def epilogue(context, node, activation):
    scales = node.input(1).scales_length()
    bits = [node.input(1).scale_bits(i) for i in range(scales)]
    low, high = float_activation_range(node, activation)
    return {
        "weight_scales": context.constant(struct.pack("<%dI" % scales, *bits)),
        "per_channel": 1 if scales > 1 else 0,
        "activation_min": low,
        "activation_max": high,
    }
