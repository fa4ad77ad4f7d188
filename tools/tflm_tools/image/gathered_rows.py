# tflm_tools: image: what makes its output of all rows of a tensor that come some at a time
# MIT license; Copyright (c) 2026 the tflm authors

from . import connected_rows, pool_rows
from .parts import Part

CODES = (*pool_rows.CODES, connected_rows.CODE)
LAYOUTS = {**pool_rows.LAYOUTS, **connected_rows.LAYOUTS}


def gathered_of(node):
    """How an operator of CODES gathers rows: a Pool or a Connected; None where it does not."""
    if node.builtin_code in pool_rows.CODES:
        return pool_rows.pool_of(node)
    return connected_rows.connected_of(node)


class GatheredRows(Part):
    """A part of such an operator: what some rows add to its sums, or the output made of them.

    gathered: what gathered_of() tells of the whole node. first: the first of these rows, None
    where this is the output.
    """

    def __init__(self, whole, gathered, inputs, outputs, first=None):
        super().__init__(whole, inputs, outputs)
        self._gathered = gathered
        self._first = first

    def prepare(self, context):
        """Write the record of this part."""
        tensors = self.inputs[0], self.outputs[0]
        if self._first is None:
            self._gathered.emit_end(context, *tensors)
        else:
            self._gathered.emit_rows(context, *tensors, self._first)
