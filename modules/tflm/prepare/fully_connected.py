# tflm: FULLY_CONNECTED: Prepare (TFLM fully_connected_common.cc, fully_connected.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import (
    REQUANTIZE,
    activation_range,
    check,
    check_dtype,
    check_quantized,
    check_scale_axis,
    product,
    requantize_table,
    support,
)
from .convolution import channel_multipliers, multiplier_of

INT8 = (
    "input",
    "weights",
    "bias",
    "output",
    "taps",
    "accumulators",
    "depth",
    "batches",
    "output_channels",
    "input_offset",
    "weights_offset",
) + REQUANTIZE

_OPTIONS = const(8)  # FullyConnectedOptions
_FUSED_ACTIVATION_FUNCTION = const(0)
_WEIGHTS_FORMAT = const(1)
_KEEP_NUM_DIMS = const(2)
_ASYMMETRIC_QUANTIZE_INPUTS = const(3)
_QUANTIZED_BIAS_TYPE = const(4)
_BLOCK = 64  # taps and accumulators that the kernel unpacks at a time


# A row of outputs for each row of inputs; an option keeps the dimensions before the last one.
def output_shapes(node):
    source, weights = node.input(0), node.input(1)
    rows, depth = _matrix(node, weights)
    if node.options(_OPTIONS).get(_KEEP_NUM_DIMS, "B"):
        check(source.shape and source.shape[-1] == depth, node, "%s is no row" % source)
        return [source.shape[:-1] + (rows,)]
    if depth:
        check(source.elements() % depth == 0, node, "%s does not fit %s" % (source, weights))
        return [(source.elements() // depth, rows)]
    return [(product(source.shape[:-1]), rows)]


# Return rows and columns of the weights, which may have more dimensions of 1.
def _matrix(node, weights):
    check(len(weights.shape) >= 2, node, "%s must have 2 dimensions" % weights)
    rows, depth = weights.shape[-2:]
    check(weights.elements() == rows * depth, node, "%s must have 2 dimensions" % weights)
    return rows, depth


def prepare(context, node):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    options = node.options(_OPTIONS)
    support(options.get(_WEIGHTS_FORMAT, "b") == 0, node, "a shuffled format of the weights")
    batches, channels, depth = _shape(node, source, weights, target)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32 and weights.dtype in (dtypes.INT8, dtypes.INT4):
        if weights.blocks and weights.dtype == dtypes.INT4:
            from .blockwise import emit_fully_connected

            activation = options.get(_FUSED_ACTIVATION_FUNCTION, "b")
            emit_fully_connected(context, node, activation, batches, channels, depth)
            return
        from .hybrid import emit_fully_connected, int8_weights

        node = int8_weights(context, node)

        asymmetric = options.get(_ASYMMETRIC_QUANTIZE_INPUTS, "B")
        emit_fully_connected(
            context,
            node,
            options.get(_FUSED_ACTIVATION_FUNCTION, "b"),
            batches,
            channels,
            depth,
            asymmetric,
        )
        return
    if source.dtype == dtypes.FLOAT32:
        from .fully_connected_float import emit_fully_connected

        emit_fully_connected(
            context, node, options.get(_FUSED_ACTIVATION_FUNCTION, "b"), depth, channels
        )
        return
    if weights.dtype == dtypes.INT4:
        from .unpack_int4 import unpack_weights

        node = unpack_weights(context, node)
    if source.dtype == dtypes.INT16:
        from .fully_connected_int16 import emit_fully_connected

        kinds = (
            options.get(_FUSED_ACTIVATION_FUNCTION, "b"),
            options.get(_QUANTIZED_BIAS_TYPE, "b"),
        )
        emit_fully_connected(context, node, kinds, batches, channels, depth)
        return
    if weights.dtype == dtypes.UINT8:
        from .conv_unsigned import emit_fully_connected

        emit_fully_connected(
            context, node, options.get(_FUSED_ACTIVATION_FUNCTION, "b"), channels, depth
        )
        return
    _prepare_int8(
        context, node, options.get(_FUSED_ACTIVATION_FUNCTION, "b"), batches, channels, depth
    )


# Return (batches, channels, depth). As in TFLM the last dimension of the output gives the
# channels, and the input may have any dimensions. The weights may have more rows than there are
# channels.
def _shape(node, source, weights, target):
    check(len(target.shape) >= 1, node, "%s must have dimensions" % target)
    rows, depth = _matrix(node, weights)
    check_scale_axis(node, weights, -2)
    batches, channels = product(target.shape[:-1]), target.shape[-1]
    check(
        channels <= rows and source.elements() == batches * depth,
        node,
        "%s and %s do not fit %s" % (source, target, weights),
    )
    bias = node.optional_input(2)
    if bias is not None:
        check(
            bias.elements() in (rows, channels),
            node,
            "%s should have %d elements" % (bias, rows),
        )
    return batches, channels, depth


def _prepare_int8(context, node, activation, batches, channels, depth):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    check_dtype(node, target, source.dtype)
    check_dtype(node, weights, dtypes.INT8)
    if bias is not None:
        check_dtype(node, bias, dtypes.INT32)
    check_quantized(node, source)
    check_quantized(node, target)
    low, high = activation_range(node, target, activation)
    if weights.scales_length() > 1:
        rows = weights.shape[-2]
        multipliers = channel_multipliers(node, source, weights, target, rows)
        weights_zero_point = 0
    else:
        check_quantized(node, weights)
        multipliers = [multiplier_of(node, source, weights, bias, target)]
        weights_zero_point = weights.zero_point()
    fields = {
        "depth": depth,
        "batches": batches,
        "output_channels": channels,
        "output_zero_point": target.zero_point(),
        "activation_min": low,
        "activation_max": high,
        "per_channel": 1 if len(multipliers) > 1 else 0,
        "channels": len(multipliers),
    }
    table = requantize_table(multipliers)
    if context.target_packing == "dsp" and weights_zero_point == 0:
        from .conv_dsp import emit_fully_connected

        if emit_fully_connected(context, node, fields, table):
            return
    if context.target_packing == "pie" and weights_zero_point == 0:
        from .pie import emit_fully_connected

        if emit_fully_connected(context, node, fields, table):
            return
    if context.target_packing is not None and weights_zero_point == 0:
        from .conv_lanes import emit_fully_connected

        if emit_fully_connected(context, node, fields, table):
            return
    empty = not depth
    context.emit(
        "fully_connected.eval_int8",
        INT8,
        channels if batches else 0,
        channels * depth * batches,
        table=table,
        input=None if empty else source,
        weights=None if empty else weights,
        bias=bias,
        output=target,
        taps=context.request_scratch_buffer(4 * max(1, min(depth, _BLOCK))),
        accumulators=context.request_scratch_buffer(4 * max(1, min(channels, _BLOCK))),
        # Bytes are read unsigned with the top bit flipped: 128 more than the int8 value.
        input_offset=128 + source.zero_point(),
        weights_offset=128 + weights_zero_point,
        **fields,
    )
