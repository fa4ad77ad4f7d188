# tflm_tools: Prepare of the node that receives the rows of an input one after the other
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import UnsupportedError
from tflm.format import ROWS_KERNEL

from ...model.schema import BuiltinOperator

# No operator of a file has this code: the schema reserves it for codes above 127.
CODE = BuiltinOperator.PLACEHOLDER_FOR_GREATER_OP_CODES

LAYOUT = ("output", "row_bytes")  # of the record, which modules/tflm/run/rows.py runs


def prepare(context, node):
    rows = node.output(0)
    if len(rows.shape) < 2:  # from a damaged file; the node of stream_input.py outputs pictures
        raise UnsupportedError("an operator has no name; get an intact copy of the model")
    count = rows.shape[1]
    row_bytes = rows.nbytes() // count
    context.emit(ROWS_KERNEL, LAYOUT, count, rows.elements(), output=rows, row_bytes=row_bytes)
