# tflm: LOGISTIC: Prepare (TFLM logistic_common.cc, reference/integer_ops/logistic.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import same_shape, support
from .fixed_point import logistic
from .lookup import emit_fixed_point_lookup, unary_tensors

_ZERO_POINT = -128  # with a scale of 1/256, outputs 0..1 fill the type

output_shapes = same_shape


def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_logistic

        emit_logistic(context, node)
        return
    if source.dtype == dtypes.INT16:
        from .sigmoid_int16 import emit_logistic_int16

        emit_logistic_int16(context, node)
        return
    support(
        target.zero_point() == _ZERO_POINT,
        node,
        "output zero point %d (only %d)" % (target.zero_point(), _ZERO_POINT),
    )
    emit_fixed_point_lookup(context, node, logistic, 8, _ZERO_POINT)
