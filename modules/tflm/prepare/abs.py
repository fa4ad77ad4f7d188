# tflm: ABS: Prepare (TFLM elementwise.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import check_dtype, same_shape, scale_of, support
from .fixed_point import multiply_by_quantized_multiplier
from .lookup import check_same_elements, emit_lookup, unary_tensors
from .rescale import IDENTITY, MAGNITUDE, emit_rescale

_UNSIGNED = 1 << 15  # the magnitude of the lowest int16; it wraps around to itself

output_shapes = same_shape


def prepare(context, node):
    source = node.input(0)
    if source.dtype == dtypes.INT16 and not source.is_quantized:
        check_dtype(node, node.output(0), dtypes.INT16)
        check_same_elements(node, source, node.output(0))
        emit_rescale(context, node, negate=MAGNITUDE, output_zero_point=0, high=_UNSIGNED)
        return
    if source.dtype == dtypes.INT32:
        from .abs_int32 import emit_int32

        emit_int32(context, node, negate=0)
        return
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        from .elementwise_math import SIGN
        from .unary_float import emit_unary

        emit_unary(context, node, "sign_float", 1, SIGN, keep=0x7FFFFFFF, flip=0)
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    multiplier, shift = IDENTITY
    if source.scale_bits() != target.scale_bits():
        ratio = scale.divide(scale_of(source), scale_of(target))
        multiplier, shift = scale.quantize_multiplier(ratio)
    if source.dtype == dtypes.INT16:
        support(zero_in == 0 and zero_out == 0, node, "int16 with a zero point")
        emit_rescale(context, node, (multiplier, shift), negate=MAGNITUDE)
        return

    def magnitude(x):
        y = multiply_by_quantized_multiplier(abs(x - zero_in), multiplier, shift)
        return min(max(y + zero_out, -128), 127)

    emit_lookup(context, node, magnitude)
