# tflm: FULLY_CONNECTED, int16 with weights of int8: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check_quantized
from .convolution import channel_multipliers, multiplier_of
from .requantize_int16 import (
    REQUANTIZE_INT16,
    bias_kind,
    matrix_offsets,
    requantize_int16_fields,
    scratch_bytes,
)

LAYOUT = (
    "input",
    "weights",
    "bias",
    "output",
    "scratch",
    "depth",
    "batches",
    "output_channels",
    "bias_kind",
    "offsets",
) + REQUANTIZE_INT16


# Check the types and write the record; the shapes agree. Unlike in CONV_2D, no zero point is
# ignored. With a bias of int32 sums are int32, too. `kinds`: the options' activation and bias
# type.
def emit_fully_connected(context, node, kinds, batches, channels, depth):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    activation, bias_type = kinds
    allowed = dtypes.INT32, dtypes.INT64
    kind = bias_kind(node, source, weights, bias, target, allowed, bias_type)
    if weights.scales_length() > 1:
        multipliers = channel_multipliers(node, source, weights, target, weights.shape[-2])
        weights_zero_point = 0
    else:
        check_quantized(node, weights)
        multipliers = [multiplier_of(node, source, weights, bias, target)]
        weights_zero_point = weights.zero_point()
    zero_point = target.zero_point()
    quantized, table = requantize_int16_fields(
        node, target, activation, multipliers, kind, zero_point
    )
    if not zero_point and not source.zero_point() and not weights_zero_point:
        from .conv_int16 import emit_rows, has_pairs

        if has_pairs(context, kind, weights, channels, batches, multipliers):
            quantized.update({"input": source, "weights": weights, "bias": bias, "output": target})
            emit_rows(context, batches, channels, depth, quantized, table)
            return
    context.emit(
        "fully_connected_int16.eval_int16",
        LAYOUT,
        channels if batches else 0,
        channels * (depth + 8) * batches,
        table=table,
        input=source if depth else None,
        weights=weights if depth else None,
        bias=bias,
        output=target,
        scratch=context.request_scratch_buffer(scratch_bytes(kind, channels, depth)),
        depth=depth,
        batches=batches,
        output_channels=channels,
        bias_kind=kind,
        offsets=matrix_offsets(kind, source.zero_point(), weights_zero_point),
        **quantized,
    )
