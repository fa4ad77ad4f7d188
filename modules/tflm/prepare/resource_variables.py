# tflm: VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE: Prepare (TFLM var_handle.cc and others)
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import check
from .reshape import COPY

_VAR_HANDLE = const(142)
_READ_VARIABLE = const(143)


# Handles are known before the model runs, so that VAR_HANDLE does nothing, and the other two copy.
# On the host ASSIGN_VARIABLE may have a part of a variable instead of its handle.
def prepare(context, node):
    if node.builtin_code == _VAR_HANDLE:
        check(not node.inputs and len(node.outputs) == 1, node, "it must have 1 output")
    elif node.builtin_code == _READ_VARIABLE:
        check(
            len(node.inputs) == 1 and len(node.outputs) == 1,
            node,
            "it must have 1 input, 1 output",
        )
        value = node.output(0)
        variable = context.resources().operand(context, node.input(0), value)
        _emit_copy(context, value, variable, value)
    else:
        check(len(node.inputs) == 2 and not node.outputs, node, "it must have just 2 inputs")
        variable, value = node.input(0), node.input(1)
        if variable.view_of is None:
            variable = context.resources().operand(context, variable, value)
        _emit_copy(context, value, value, variable)


# Copy between a tensor and a variable of the same number of bytes.
def _emit_copy(context, value, source, target):
    size = value.nbytes()
    context.emit("copy.eval_bytes", COPY, size, size // 2, input=source, output=target, size=size)
