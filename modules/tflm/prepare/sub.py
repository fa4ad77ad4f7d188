# tflm: SUB: Prepare (TFLM sub_common.cc): an ADD with a negative second input
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .add import emit_int8, emit_int16, emit_int32
from .broadcast import spread_shape
from .elementwise import check_unquantized, prepare_binary

_OPTIONS = const(28)  # SubOptions

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _OPTIONS, _KERNELS)


def _int8(context, node, activation):
    emit_int8(context, node, activation, -1)


def _int16(context, node, activation):
    emit_int16(context, node, activation, -1)


# Unlike ADD, an int32 SUB applies its activation.
def _int32(context, node, activation):
    check_unquantized(node, (node.input(0), node.input(1), node.output(0)))
    emit_int32(context, node, activation, -1)


def _float32(context, node, activation):
    from .arithmetic_float import SUB, emit_arithmetic

    emit_arithmetic(context, node, activation, SUB)


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _int8,
    dtypes.INT16: _int16,
    dtypes.INT32: _int32,
}
