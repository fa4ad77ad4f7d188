# tflm: LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT: Prepare (TFLM logical_common.cc, elementwise.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import spread_shape
from .common import check, check_dtype
from .comparisons import emit_byte_table
from .lookup import check_same_elements, emit_lookup

_LOGICAL_AND = const(86)
_LOGICAL_NOT = const(87)

output_shapes = spread_shape


# AND and OR are comparisons: the first byte says which seconds make the answer true.
def prepare(context, node):
    for i in range(len(node.inputs)):
        check_dtype(node, node.input(i), dtypes.BOOL)
    check_dtype(node, node.output(0), dtypes.BOOL)
    if node.builtin_code == _LOGICAL_NOT:
        check_same_elements(node, node.input(0), node.output(0))
        emit_lookup(context, node, lambda x: 0 if x else 1)
        return
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    nothing, true, all_bytes = b"\xff\x00", b"\x01\xff", b"\x00\xff"
    if node.builtin_code == _LOGICAL_AND:
        table = nothing + true * 255
    else:
        table = true + all_bytes * 255
    emit_byte_table(context, node, table, 0, 0)
