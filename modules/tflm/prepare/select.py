# tflm: SELECT_V2: Prepare (TFLM select.cc); SELECT, which TFLM lacks
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import BROADCAST, check_broadcast, emit_spread, spread_shape
from .broadcast_to import emit_broadcast_copy
from .common import check, check_dtype, check_shape
from .strided import check_same_dtype, element_bytes

SELECT = BROADCAST + ("size",)

_SELECT = const(64)
_WORK = 5  # of an element, in multiply-accumulates


# SELECT requires inputs of one shape; SELECT_V2 broadcasts all three.
def output_shapes(node):
    return [node.input(1).shape] if node.builtin_code == _SELECT else spread_shape(node)


# Input 2, broadcast, is copied to the output, then input 1 wherever the condition is true.
def prepare(context, node):
    condition, first, second, target = node.input(0), node.input(1), node.input(2), node.output(0)
    check(len(node.inputs) == 3, node, "it must have 3 inputs")
    check_dtype(node, condition, dtypes.BOOL)
    check_same_dtype(node, first, (second, target))
    if node.builtin_code == _SELECT:
        condition = _for_rows(node, condition, first)
    size = element_bytes(node, first)
    check_broadcast(node, (condition, first, second), target)
    emit_broadcast_copy(context, node, second, target)
    emit_spread(context, node, "select.eval", SELECT, (condition, first), _WORK, size=size)


# Return the condition of SELECT with a shape that broadcasts: SELECT allows one condition, one for
# each element, or one for each first index.
def _for_rows(node, condition, first):
    check_shape(node, node.input(2), first.shape)
    rank = len(first.shape)
    if len(condition.shape) != 1 or rank < 2 or condition.elements() == 1:
        return condition
    return condition.with_shape(condition.shape + (1,) * (rank - 1))
