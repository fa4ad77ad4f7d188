# tflm: RELU_N1_TO_1, RELU_0_TO_1: Prepare (not in TFLM; LiteRT activations.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import same_shape, scale_of
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import emit_lookup, unary_tensors

_RELU_N1_TO_1 = const(20)
_RELU_0_TO_1 = const(152)

# {builtin code: limits}, and the limits as bits of float32
_LIMITS = {_RELU_N1_TO_1: (-1, 1), _RELU_0_TO_1: (0, 1)}
_BITS = {-1: 0xBF800000, 0: 0, 1: 0x3F800000}

output_shapes = same_shape


# LiteRT rescales as for RELU, then clamps.
def prepare(context, node):
    low, high = _LIMITS[node.builtin_code]
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_clamp

        emit_clamp(context, node, _BITS[low], _BITS[high])
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    multiplier, shift = scale.quantize_multiplier(scale.divide(scale_of(source), scale_of(target)))

    def limit(value):
        ratio = scale.divide(scale.from_int(value), scale_of(target), scale.SINGLE)
        return min(max(zero_out + scale.to_int(ratio), -128), 127)

    lowest, highest = limit(low), limit(high)

    def relu(x):
        y = zero_out + multiply_by_quantized_multiplier(x - zero_in, multiplier, shift)
        return min(max(y, lowest), highest)

    emit_lookup(context, node, relu)
