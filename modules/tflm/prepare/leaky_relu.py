# tflm: LEAKY_RELU: Prepare (TFLM leaky_relu_common.cc, reference/leaky_relu.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import same_shape, scale_of
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import emit_lookup, unary_tensors
from .rescale import emit_rescale

_OPTIONS = const(75)  # LeakyReluOptions
_ALPHA = const(0)

output_shapes = same_shape


# One multiplier for inputs from the zero point on, another for inputs below it. A negative alpha
# is replaced by its magnitude: rounding is not symmetric about zero.
def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    alpha = node.options(_OPTIONS).get(_ALPHA, "I")
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_leaky_relu

        emit_leaky_relu(context, node, alpha)
        return
    alpha = scale.from_bits(alpha)
    negate = 1 if alpha[0] < 0 else 0
    product = scale.multiply(scale_of(source), (abs(alpha[0]), alpha[1]))
    positive = scale.quantize_multiplier(scale.divide(scale_of(source), scale_of(target)))
    negative = scale.quantize_multiplier(scale.divide(product, scale_of(target)))
    if source.dtype == dtypes.INT16:
        emit_rescale(context, node, positive, negative, negate)
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()

    def leaky_relu(x):
        multiplier, shift = positive if x >= zero_in else negative
        y = multiply_by_quantized_multiplier(x - zero_in, multiplier, shift)
        if x < zero_in and negate:
            y = 0 - y
        return min(max(y + zero_out, -128), 127)

    emit_lookup(context, node, leaky_relu)
