# tflm_tools: image: Prepare of the node that takes rows of an input (modules/tflm/run/rows.py)
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import UnsupportedError
from tflm.format import ROWS_KERNEL

from ..model.schema import BuiltinOperator

# No operator of a file: the schema's own word for a code that stands for another one.
CODE = BuiltinOperator.PLACEHOLDER_FOR_GREATER_OP_CODES

ROWS = ("output", "row_bytes")


def prepare(context, node):
    rows = node.output(0)
    if len(rows.shape) < 2:  # the node of a file: ours has pictures
        raise UnsupportedError("an operator has no name; get an intact copy of the model")
    count = rows.shape[1]
    context.emit(
        ROWS_KERNEL, ROWS, count, rows.elements(), output=rows, row_bytes=rows.nbytes() // count
    )
