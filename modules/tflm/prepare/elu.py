# tflm: ELU: Prepare (TFLM elu.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import same_shape, scale_of
from .exponential import exp
from .lookup import emit_lookup, unary_tensors

_ONE = (1, 0)
_MINUS_ONE = (-1, 0)
_VANISHED = (-100, 0)  # exp() of lower numbers vanishes beside 1

output_shapes = same_shape


# int8: every step is rounded to float32 as in TFLM.
def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_unary

        emit_unary(context, node, "elu_float", 3)
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    inverse = scale.divide(_ONE, scale_of(target), scale.SINGLE)

    def elu(x):
        y = scale.multiply(scale_of(source), scale.from_int(x - zero_in), scale.SINGLE)
        if scale.less(y, _VANISHED):
            y = _MINUS_ONE
        elif x < zero_in:
            y = scale.add(scale.rounded(exp(y), scale.SINGLE), _MINUS_ONE, scale.SINGLE)
        y = scale.to_int(scale.multiply(y, inverse, scale.SINGLE))
        return min(max(y + zero_out, -128), 127)

    emit_lookup(context, node, elu)
