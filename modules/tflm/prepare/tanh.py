# tflm: TANH: Prepare (TFLM tanh.cc, reference/integer_ops/tanh.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import same_shape
from .fixed_point import tanh
from .lookup import emit_fixed_point_lookup, unary_tensors

output_shapes = same_shape


# As in TFLM the output's quantization is assumed to be scale 1/128, zero point 0.
def prepare(context, node):
    source, _ = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_tanh

        emit_tanh(context, node)
        return
    if source.dtype == dtypes.INT16:
        from .sigmoid_int16 import emit_tanh_int16

        emit_tanh_int16(context, node)
        return
    emit_fixed_point_lookup(context, node, tanh, 7, 0)
