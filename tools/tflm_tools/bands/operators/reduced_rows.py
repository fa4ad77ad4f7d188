# tflm_tools: operators that reduce all rows of a tensor to sums, run on some rows at a time
# MIT license; Copyright (c) 2026 the tflm authors

from . import fully_connected_rows, pool_rows
from .partial_operator import PartialOperator

CODES = (*pool_rows.CODES, fully_connected_rows.CODE)
LAYOUTS = {**pool_rows.LAYOUTS, **fully_connected_rows.LAYOUTS}


def reduction_of(node):
    """Return the PoolReduction or FullyConnectedReduction of an operator of CODES, or None."""
    if node.builtin_code in pool_rows.CODES:
        return pool_rows.pool_reduction_of(node)
    return fully_connected_rows.fully_connected_reduction_of(node)


class ReducedRows(PartialOperator):
    """Adds some rows of the input to the sums of a reduction, or computes its output from them.

    reduction: reduction_of(whole). first: the first of these rows, None to compute the output.
    """

    def __init__(self, whole, reduction, inputs, outputs, first=None):
        super().__init__(whole, inputs, outputs)
        self._reduction = reduction
        self._first = first

    def prepare(self, context):
        """Write the record of these rows, or of the output."""
        tensors = self.inputs[0], self.outputs[0]
        if self._first is None:
            self._reduction.emit_output(context, *tensors)
        else:
            self._reduction.emit_rows(context, *tensors, self._first)
