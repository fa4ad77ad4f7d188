# tflm: L2_NORMALIZATION: Prepare (TFLM l2norm.cc, reference/l2normalization.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import (
    FLOAT_WORK,
    NONE,
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    same_shape,
    support,
)

INT8 = ("input", "output", "depth", "offset")
FLOAT = ("input", "output", "norm", "depth", "zero", "epsilon")

_OPTIONS = const(12)  # L2NormOptions
_FUSED_ACTIVATION_FUNCTION = const(0)
_MAX_RANK = 4
_EPSILON = 0x358637BD  # 1e-6 as a float32
_INT8_WORK = 10  # of an element, in multiply-accumulates

output_shapes = same_shape


# Along the last dimension. As in TFLM an int8 output always has scale 1/128 and zero point 0.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8)
    check_dtype(node, target, source.dtype)
    check(len(source.shape) > 0, node, "%s needs a dimension" % source)
    support(len(source.shape) <= _MAX_RANK, node, "%s: more than 4 dimensions" % source)
    check_outputs(node, output_shapes(node))
    activation = node.options(_OPTIONS).get(_FUSED_ACTIVATION_FUNCTION, "b")
    support(activation == NONE, node, "activation %d" % activation)
    elements = source.elements()
    if not elements:
        return
    depth = source.shape[-1]
    if source.dtype == dtypes.FLOAT32:
        context.emit(
            "l2_normalization_float.eval_float32",
            FLOAT,
            elements // depth,
            elements * 2 * FLOAT_WORK,
            input=source,
            output=target,
            norm=context.request_scratch_buffer(4),
            depth=depth,
            zero=0,
            epsilon=_EPSILON,
        )
        return
    check_quantized(node, source)
    context.emit(
        "l2_normalization.eval_int8",
        INT8,
        elements // depth,
        elements * _INT8_WORK,
        input=source,
        output=target,
        depth=depth,
        offset=source.zero_point() + 0x80,
    )
