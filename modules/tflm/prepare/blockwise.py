# tflm: FULLY_CONNECTED of float32 with int4 weights that have a scale for each block: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from . import scale
from .arithmetic_float import ADD, emit_product
from .common import FLOAT_WORK, NONE, check, float_activation_range, support
from .convolution import WINDOWS, check_bias
from .dequantize_channels import OperandTensor
from .hybrid import HYBRID, quantize
from .reduce_float import emit_reduce_float


# TFLM lacks this operator; the results equal LiteRT's except for the order of float sums.
#
# 1. Quantize the input to int8, with a scale for each batch.
# 2. A convolution of one pixel whose groups are the blocks: a partial result for each block and
#    channel. The weights become int8 in the order of the blocks.
# 3. Add the partial results, then the bias.
def emit_fully_connected(context, node, activation, batches, channels, depth):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    scales, size = weights.blocks
    check(0 < size <= depth and depth % size == 0, node, "%s has blocks of %d" % (weights, size))
    count = depth // size
    support(weights.is_constant() and depth % 2 == 0, node, "%s" % weights)
    is_whole = scales.dtype == dtypes.FLOAT16 and scales.is_constant()
    check(is_whole and scales.elements() == channels * count, node, "%s are no scales" % scales)
    bias = node.optional_input(2)
    check_bias(node, bias, channels, dtypes.FLOAT32)
    check(target.dtype == dtypes.FLOAT32, node, "%s must be float32" % target)
    if not target.elements():
        return
    low, high = float_activation_range(node, NONE)
    fields = {name: 1 for name in WINDOWS}
    fields.update({"padding_height": 0, "padding_width": 0})
    fields.update(quantize(context, source, batches, True))
    fields.update({"input_channels": depth, "output_channels": count * channels})
    partial = context.request_scratch_buffer(4 * batches * count * channels)
    elements = batches * count * channels
    context.emit(
        "hybrid.eval_float32",
        HYBRID,
        elements,
        elements * (size + 3 * FLOAT_WORK),
        weights=context.constant(_ordered(weights.data, channels, count, size)),
        weight_scales=context.constant(_ordered_scales(scales.data, channels, count)),
        bias=None,
        output=partial,
        depth=size,
        group_channels=channels,
        channel_step=size,
        cell_step=size,
        per_channel=1,
        activation_min=low,
        activation_max=high,
        **fields,
    )
    sums = node.with_inputs([OperandTensor(partial, (batches, count, channels))])
    geometry = {name + "1": 1 for name in ("kept", "reduced")}
    geometry.update({"kept0": channels, "kept_step0": 4, "kept1": batches})
    geometry.update({"kept_step1": 4 * count * channels, "kept_step2": 0})
    geometry.update({"reduced0": count, "reduced_step0": 4 * channels, "reduced_step1": 0})
    geometry.update({"reduced2": 1, "reduced_step2": 0})
    emit_reduce_float(context, sums, geometry, 1)
    if bias is None:
        bias = OperandTensor(context.constant(bytes(4)), (1,))
    emit_product(context, node, (target, bias), ADD, activation)


# Return the weights as int8, block by block: rows of `size` weights for each channel.
def _ordered(packed, channels, count, size):
    unpacked = bytearray(channels * count * size)
    at = 0
    for block in range(count):
        for channel in range(channels):
            first = (channel * count + block) * size
            for i in range(first, first + size):
                nibble = packed[i >> 1] >> 4 * (i & 1) & 15
                unpacked[at] = (nibble ^ 8) - 8 & 0xFF
                at += 1
    return bytes(unpacked)


# Return the scales, float16 in the order of channels, as float32 in the order of blocks.
def _ordered_scales(data, channels, count):
    halves = struct.unpack("<%dH" % (channels * count), data)
    words = [
        _float32(halves[channel * count + block])
        for block in range(count)
        for channel in range(channels)
    ]
    return struct.pack("<%dI" % len(words), *words)


# Return the bits of a float16 as the bits of a float32; scales are finite.
def _float32(half):
    exponent, mantissa = half >> 10 & 31, half & 1023
    if exponent:
        mantissa |= 1024
    else:
        exponent = 1
    return scale.to_bits((0 - mantissa if half >> 15 else mantissa, exponent - 25))
