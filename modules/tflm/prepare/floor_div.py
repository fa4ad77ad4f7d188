# tflm: FLOOR_DIV, FLOOR_MOD: Prepare (TFLM floor_div.cc, floor_mod.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK
from .elementwise import prepare_binary

LAYOUT = BROADCAST + ("modulo",)

_FLOOR_MOD = const(95)
_NO_OPTIONS = const(0)
_WORK = 4 * FLOAT_WORK

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _NO_OPTIONS, {dtypes.FLOAT32: _float32})


def _float32(context, node, activation):
    inputs = node.input(0), node.input(1)
    modulo = 1 if node.builtin_code == _FLOOR_MOD else 0
    kernel = "floor_div_float.eval_float32"
    emit_broadcast(context, node, kernel, LAYOUT, inputs, _WORK, modulo=modulo)
