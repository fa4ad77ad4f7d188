# tflm: PRELU: Prepare (TFLM prelu.cc, prelu_common.cc, reference/prelu.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK, check, check_dtype, check_quantized, scale_of

INTEGERS = BROADCAST + (
    "size",
    "offset1",
    "offset2",
    "output_zero_point",
    "multiplier",
    "shift",
    "negative_multiplier",
    "negative_shift",
)

_INTEGERS_WORK = 14  # of an element, in multiply-accumulates
_MAX_SHIFT = 31  # larger shifts saturate as well

output_shapes = spread_shape


# alpha is int8 for int16, too.
def prepare(context, node):
    source, alpha, target = node.input(0), node.input(1), node.output(0)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    check_dtype(node, target, source.dtype)
    if source.dtype == dtypes.FLOAT32:
        check_dtype(node, alpha, dtypes.FLOAT32)
        kernel = "prelu_float.eval_float32"
        emit_broadcast(context, node, kernel, BROADCAST, (source, alpha), 2 * FLOAT_WORK)
        return
    check_dtype(node, alpha, dtypes.INT8)
    for tensor in (source, alpha, target):
        check_quantized(node, tensor)
    product = scale.multiply(scale_of(source), scale_of(alpha))
    positive = scale.quantize_multiplier(scale.divide(scale_of(source), scale_of(target)))
    negative = scale.quantize_multiplier(scale.divide(product, scale_of(target)))
    size = dtypes.itemsize(source.dtype)
    emit_broadcast(
        context,
        node,
        "prelu.eval_integers",
        INTEGERS,
        (source, alpha),
        _INTEGERS_WORK,
        size=size,
        offset1=source.zero_point() + (0x80 if size == 1 else 0x8000),
        offset2=alpha.zero_point() + 0x80,
        output_zero_point=target.zero_point(),
        multiplier=positive[0],
        shift=min(positive[1], _MAX_SHIFT),
        negative_multiplier=negative[0],
        negative_shift=min(negative[1], _MAX_SHIFT),
    )
