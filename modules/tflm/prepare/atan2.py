# tflm: ATAN2: Prepare (not in TFLM; LiteRT atan2.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK
from .elementwise import prepare_binary

_NO_OPTIONS = const(0)
_WORK = 6 * FLOAT_WORK

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _NO_OPTIONS, {dtypes.FLOAT32: _float32})


def _float32(context, node, activation):
    inputs = node.input(0), node.input(1)
    emit_broadcast(context, node, "atan2_float.eval_float32", BROADCAST, inputs, _WORK)
