# tflm: RELU, RELU6: Prepare (TFLM activations.cc, activations_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import limits, same_shape, scale_of, support
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import emit_lookup, unary_tensors
from .rescale import emit_rescale

_RELU6 = const(21)

output_shapes = same_shape


def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_relu

        emit_relu(context, node, node.builtin_code == _RELU6)
    elif node.builtin_code == _RELU6:
        _prepare_relu6(context, node, source)
    else:
        _prepare_relu(context, node, source, target)


# Only a clamp: like TFLM it assumes that input and output have the same quantization.
def _prepare_relu6(context, node, source):
    zero = source.zero_point()
    ratio = scale.divide(scale.from_int(6), scale_of(source), scale.SINGLE)
    six = min(limits(source.dtype)[1], zero + scale.to_int(ratio))
    if source.dtype == dtypes.INT8:
        emit_lookup(context, node, lambda x: min(max(x, zero), six))
        return
    emit_rescale(context, node, output_zero_point=zero, low=zero, high=six)


def _prepare_relu(context, node, source, target):
    zero_in, zero_out = source.zero_point(), target.zero_point()
    ratio = scale.divide(scale_of(source), scale_of(target))
    multiplier, shift = scale.quantize_multiplier(ratio)
    if source.dtype == dtypes.INT16:
        support(zero_in == 0 and zero_out == 0, node, "int16 with a zero point")
        emit_rescale(context, node, (multiplier, shift), low=0)
        return

    def relu(x):
        y = zero_out + multiply_by_quantized_multiplier(x - zero_in, multiplier, shift)
        return min(max(y, zero_out), 127)

    emit_lookup(context, node, relu)
