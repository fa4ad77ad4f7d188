# tflm: requantization of int16 operators with weights of int8: helpers of Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .common import (
    activation_range,
    check,
    check_dtype,
    check_quantized,
    support,
    support_scale,
)

# Words at the end of a layout that kernels/requantize_int16.py reads; int16_table() follows.
REQUANTIZE_INT16 = (
    "output_zero_point",
    "activation_min",
    "activation_max",
    "per_channel",
    "pairs",
)

# Arguments of kernels/matrix.py: int16 with weights of int8, and sums of pairs or single words.
_WIDE = 1 << 24
_WORDS = 1 << 25

# Arguments of start_sums by the type of the bias.
_BIAS_KINDS = {dtypes.INT32: 0, dtypes.INT64: 1, dtypes.INT16: 2}

_LARGEST_BIAS = 1 << 46

_BLOCK = 64  # sums, and taps, that the kernels unpack at a time


# Return the argument of start_sums, after checking that TFLM's 16x8 kernels support the types.
# Without a bias sums are int64 unless the option `quantized_bias_type` says int32.
def bias_kind(node, source, weights, bias, target, allowed, bias_type=0):
    check_dtype(node, target, source.dtype)
    check_dtype(node, weights, dtypes.INT8)
    check_quantized(node, source)
    check_quantized(node, target)
    if bias is None:
        return 0 if bias_type == dtypes.INT32 else 1
    check_dtype(node, bias, *allowed)
    if bias.dtype == dtypes.INT64 and bias.is_constant():
        # Sums have 48 bits, as TFLM allows.
        for at in range(0, bias.nbytes(), 8):
            value = struct.unpack_from("<q", bias.data, at)[0]
            support(-_LARGEST_BIAS <= value < _LARGEST_BIAS, node, "a value of %s" % bias)
    return _BIAS_KINDS[bias.dtype]


# The `offsets` of kernels/matrix.py.
def matrix_offsets(kind, input_zero_point=0, weights_zero_point=0):
    words = 0 if kind else _WORDS
    return _WIDE | words | weights_zero_point + 0x80 << 16 | input_zero_point + 0x8000


# Return the bytes of the scratch buffer with sums and, after them, taps.
def scratch_bytes(kind, channels, depth):
    size = 8 if kind else 4
    return size * max(1, min(channels, _BLOCK)) + 4 * max(1, min(depth, _BLOCK))


# Return the fields of REQUANTIZE_INT16 and the table. With sums of int64 TFLM rounds multipliers
# to 15 bits (common.cc: MultiplyByQuantizedMultiplier for int64), so that the table has these and
# their right shifts. Otherwise it has multipliers of 31 bits and their shifts + 32.
def requantize_int16_fields(node, target, activation, multipliers, kind, zero_point=0):
    low, high = activation_range(node, target, activation)
    pairs = []
    for multiplier, shift in multipliers:
        check(multiplier >= 0, node, "a scale is negative")
        if kind:
            support_scale(shift < 15, node, target)
            pairs += [min((multiplier + (1 << 15)) >> 16, 0x7FFF), 15 - shift]
        else:
            support_scale(shift < 31, node, target)
            pairs += [multiplier, shift + 32]
    fields = {
        "output_zero_point": zero_point,
        "activation_min": low,
        "activation_max": high,
        "per_channel": 1 if len(multipliers) > 1 else 0,
        "pairs": 1 if kind else 0,
    }
    return fields, struct.pack("<%dI" % len(pairs), *pairs)
