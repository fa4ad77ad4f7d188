# tflm: FLOOR_DIV, FLOOR_MOD: Prepare (TFLM floor_div.cc, floor_mod.cc; integers: LiteRT's)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK
from .elementwise import prepare_binary

LAYOUT = BROADCAST + ("modulo",)
INTEGERS = LAYOUT + ("size",)

_FLOOR_MOD = const(95)
_NO_OPTIONS = const(0)
_WORK = 4 * FLOAT_WORK
_INTEGER_WORK = const(12)
_INT64_WORK = const(400)

output_shapes = spread_shape


def prepare(context, node):
    modulo = node.builtin_code == _FLOOR_MOD
    prepare_binary(context, node, _NO_OPTIONS, _MODULO_KERNELS if modulo else _KERNELS)


def _float32(context, node, activation):
    _emit(context, node, "floor_div_float.eval_float32", LAYOUT, _WORK)


# LiteRT divides the stored numbers and ignores scales.
def _integers(context, node, activation):
    size = dtypes.itemsize(node.input(0).dtype)
    _emit(context, node, "floor_div_wide.eval_integers", INTEGERS, _INTEGER_WORK, size=size)


def _int64(context, node, activation):
    inputs = node.input(0), node.input(1)
    emit_broadcast(context, node, "floor_mod_int64.eval_int64", BROADCAST, inputs, _INT64_WORK)


def _emit(context, node, kernel, layout, work, **fields):
    modulo = 1 if node.builtin_code == _FLOOR_MOD else 0
    inputs = node.input(0), node.input(1)
    emit_broadcast(context, node, kernel, layout, inputs, work, modulo=modulo, **fields)


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _integers,
    dtypes.INT16: _integers,
    dtypes.INT32: _integers,
}
_MODULO_KERNELS = dict(_KERNELS)
_MODULO_KERNELS[dtypes.INT64] = _int64
