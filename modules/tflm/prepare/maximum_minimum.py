# tflm: MAXIMUM, MINIMUM: Prepare (TFLM maximum_minimum.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import check, check_dtype

LAYOUT = BROADCAST + ("flip",)

_MAXIMUM = const(55)
_WORK = 4  # of an element, in multiply-accumulates

# {type: (kernel, flip to sort forwards, flip to sort backwards)}
_KERNELS = {
    dtypes.FLOAT32: ("maximum_minimum_float.eval_float32", 0, 1),
    dtypes.INT8: ("maximum_minimum.eval_int8", 0x80, 0x7F),
    dtypes.INT16: ("maximum_minimum_wide.eval_int16", 0x8000, 0x7FFF),
    dtypes.INT32: ("maximum_minimum_wide.eval_int32", 0, -1),
    dtypes.INT64: ("maximum_minimum_wide.eval_int64", 0, -1),
}

output_shapes = spread_shape


# TFLM compares the stored numbers and ignores scales.
def prepare(context, node):
    inputs = node.input(0), node.input(1)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    check_dtype(node, inputs[0], *sorted(_KERNELS))
    for tensor in (inputs[1], node.output(0)):
        check_dtype(node, tensor, inputs[0].dtype)
    kernel, forwards, backwards = _KERNELS[inputs[0].dtype]
    flip = forwards if node.builtin_code == _MAXIMUM else backwards
    emit_broadcast(context, node, kernel, LAYOUT, inputs, _WORK, flip=flip)
