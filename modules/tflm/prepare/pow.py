# tflm: POW: Prepare (not in TFLM; LiteRT pow.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK
from .elementwise import check_unquantized, prepare_binary

_NO_OPTIONS = const(0)
_FLOAT_WORK = 12 * FLOAT_WORK
_INT32_WORK = const(32)

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _NO_OPTIONS, _KERNELS)


def _float32(context, node, activation):
    _emit(context, node, "pow_float.eval_float32", _FLOAT_WORK)


def _int32(context, node, activation):
    check_unquantized(node, (node.input(0), node.input(1)))
    _emit(context, node, "pow_int32.eval_int32", _INT32_WORK)


def _emit(context, node, kernel, work):
    emit_broadcast(context, node, kernel, BROADCAST, (node.input(0), node.input(1)), work)


_KERNELS = {dtypes.FLOAT32: _float32, dtypes.INT32: _int32}
