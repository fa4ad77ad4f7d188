# tflm: RELU, RELU6: Prepare (TFLM activations.cc, activations_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import check, check_dtype, check_quantized, scale_of
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import emit_lookup

_RELU6 = 21


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.INT8)
    check_dtype(node, target, source.dtype)
    check(source.elements() == target.elements(), node, "%s differs in size" % target)
    for tensor in (source, target):
        check_quantized(node, tensor)
    zero_in, zero_out = source.zero_point(), target.zero_point()
    if node.builtin_code == _RELU6:
        # Only a clamp: TFLM takes input and output to have the same quantization.
        ratio = scale.divide(scale.from_int(6), scale_of(source), scale.SINGLE)
        six = min(127, zero_in + scale.to_int(ratio))
        emit_lookup(context, node, lambda x: min(max(x, zero_in), six))
        return
    ratio = scale.divide(scale_of(source), scale_of(target), scale.SINGLE)
    multiplier, shift = scale.quantize_multiplier(ratio)
    low = max(-128, zero_out)

    def relu(x):
        y = zero_out + multiply_by_quantized_multiplier(x - zero_in, multiplier, shift)
        return min(max(y, low), 127)

    emit_lookup(context, node, relu)
