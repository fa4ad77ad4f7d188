# tflm: L2_POOL_2D: Prepare (TFLM l2_pool_2d.cc, reference/pooling.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .common import FLOAT_WORK, check_dtype, float_activation_range
from .pooling import pool_geometry, pool_shape
from .pooling_float import MEAN_SQUARE, emit_pooling_float
from .unary_float import ACTIVATIONS, UNARY

_OPTIONS = const(5)  # Pool2DOptions
_FUSED_ACTIVATION_FUNCTION = const(5)
_INFINITY, _MINUS_INFINITY = 0x7F800000, 0xFF800000
_ROOT_WORK = 2 * FLOAT_WORK

output_shapes = pool_shape


# Three records: the mean of squares, then its root and the fused activation in place.
def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32)
    check_dtype(node, target, dtypes.FLOAT32)
    geometry = pool_geometry(node)
    low, high = float_activation_range(
        node, node.options(_OPTIONS).get(_FUSED_ACTIVATION_FUNCTION, "b")
    )
    emit_pooling_float(context, node, geometry, MEAN_SQUARE, _MINUS_INFINITY, _INFINITY)
    elements = target.elements()
    in_place = {"input": target, "output": target}
    context.emit("sqrt_float.eval_float32", UNARY, elements, elements * _ROOT_WORK, **in_place)
    kernel = "activations_float.eval_float32"
    work = elements * FLOAT_WORK
    context.emit(kernel, ACTIVATIONS, elements, work, low=low, high=high, **in_place)
