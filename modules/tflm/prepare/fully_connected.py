# tflm: FULLY_CONNECTED: Prepare (TFLM fully_connected_common.cc, fully_connected.cc)
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

INT8 = (
    "input",
    "weights",
    "bias",
    "output",
    "accumulators",
    "depth",
    "batches",
    "input_offset",
    "weights_offset",
) + REQUANTIZE

_OPTIONS = 8  # FullyConnectedOptions
_ACCUMULATORS = 32  # output channels between two requantizations


def prepare(context, node):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    options = node.options(_OPTIONS)
    activation = options.get(0, "b")
    support(options.get(1, "b") == 0, node, "shuffled weights")
    check(len(weights.shape) == 2, node, "%s must have 2 dimensions" % weights)
    channels, depth = weights.shape
    check(
        depth > 0 and source.elements() % depth == 0,
        node,
        "%s does not fit %s" % (source, weights),
    )
    batches = source.elements() // depth
    check(
        target.elements() == batches * channels,
        node,
        "%s should have %d elements" % (target, batches * channels),
    )
    if bias is not None:
        check(bias.elements() == channels, node, "%s should have %d elements" % (bias, channels))
    check_dtype(node, source, dtypes.INT8)
    check_dtype(node, target, source.dtype)
    check_dtype(node, weights, dtypes.INT8)
    if bias is not None:
        check_dtype(node, bias, dtypes.INT32)
    for tensor in (source, weights, target):
        check_quantized(node, tensor)
    low, high = activation_range(node, target, activation)
    multipliers = _multipliers(node, source, weights, bias, target)
    context.emit(
        "fully_connected.eval_int8",
        INT8,
        channels,
        channels * depth * batches,
        table=requantize_table(multipliers),
        input=source,
        weights=weights,
        bias=bias,
        output=target,
        accumulators=context.request_scratch_buffer(4 * min(channels, _ACCUMULATORS)),
        depth=depth,
        batches=batches,
        # Bytes are read unsigned with the top bit flipped: 128 more than the int8 value.
        input_offset=128 + source.zero_point(),
        weights_offset=128 + weights.zero_point(),
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=1 if len(multipliers) > 1 else 0,
        channels=len(multipliers),
    )


# One multiplier for all channels, from the float32 product of the scales, or one for each,
# from the double product: the two precisions decide the last bit.
def _multipliers(node, source, weights, bias, target):
    count = weights.scales_length()
    if count == 1:
        product = scale.multiply(scale_of(source), scale_of(weights), scale.SINGLE)
        return [scale.quantize_multiplier(scale.divide(product, scale_of(target)))]
    check(
        count == weights.shape[0] and weights.quantized_dimension == 0,
        node,
        "%s must have one scale for each of its rows" % weights,
    )
    multipliers = []
    for channel in range(count):
        product = scale.multiply(scale_of(source), scale_of(weights, channel))
        multipliers.append(scale.quantize_multiplier(scale.divide(product, scale_of(target))))
    return multipliers
