# tflm: BITWISE_XOR: Prepare (not in TFLM; LiteRT bitwise_xor.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .elementwise import prepare_binary

LAYOUT = BROADCAST + ("size",)

_OPTIONS = const(125)  # BitwiseXorOptions
_WORK = 4  # of an element, in multiply-accumulates

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _OPTIONS, _KERNELS)


def _emit(context, node, activation):
    inputs = node.input(0), node.input(1)
    size = dtypes.itemsize(inputs[0].dtype)
    emit_broadcast(context, node, "bitwise_xor.eval_integers", LAYOUT, inputs, _WORK, size=size)


_TYPES = (
    dtypes.INT8, dtypes.UINT8, dtypes.INT16, dtypes.UINT16, dtypes.INT32, dtypes.UINT32,
)  # fmt: skip
_KERNELS = {dtype: _emit for dtype in _TYPES}
