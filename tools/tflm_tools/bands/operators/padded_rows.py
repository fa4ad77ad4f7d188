# tflm_tools: some rows of a PAD or PADV2
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.prepare.strided import constant_indices
from tflm.tflite.context import Operand

from ...model.schema import BuiltinOperator
from .partial_operator import PartialOperator
from .recording_context import emission_of

CODES = (BuiltinOperator.PAD, BuiltinOperator.PADV2)


def paddings_of(node):
    """Return [(before, after)] of each dimension of a PAD or PADV2, in elements."""
    numbers = constant_indices(node, node.inputs[1], "the paddings")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


class PaddedRows(PartialOperator):
    """Rows of a PAD: `before` rows of padding, the rows of the input, then padding.

    Without an input, all rows are padding. axis: the dimension of rows.
    """

    def __init__(self, whole, inputs, outputs, axis, before):
        super().__init__(whole, inputs, outputs)
        self._whole, self._axis, self._before = whole, axis, before

    def prepare(self, context):
        """Write the record of these rows, which has the same length for all rows."""
        emission, target = emission_of(self._whole), self.outputs[0]
        size = emission.fields["value_size"]
        dimensions = self._dimensions()
        before, inside, after = (size * count for count in dimensions.pop())
        rows, table = 1, b""
        for left, middle, right in reversed(dimensions):
            rows *= left + middle + right
            table += struct.pack("<III", left + middle + right, middle, left)
        fields = dict(emission.fields, before=before, inside=inside, after=after, output=target)
        fields["input"] = self.inputs[0] if self.inputs else target  # nothing of it is read
        if isinstance(fields["value"], Operand):
            fields["value"] = context.constant(fields["value"].data)
        work = target.nbytes() + 8 * rows
        context.emit(emission.kernel, emission.layout, rows, work, table, **fields)

    # (before, elements, after) of each dimension. A dimension that the whole operator does not pad
    # is merged into the next outer one.
    def _dimensions(self):
        shape, dimensions = list(self._whole.inputs[0].shape), []
        shape[self._axis] = self.inputs[0].shape[self._axis] if self.inputs else 0
        for i, sides in enumerate(paddings_of(self._whole)):
            left, right = sides
            if i == self._axis:
                left = self._before
                right = self.outputs[0].shape[i] - left - shape[i]
            if any(sides) or not dimensions:
                dimensions.append((left, shape[i], right))
            else:
                dimensions[-1] = tuple(count * shape[i] for count in dimensions[-1])
            if dimensions == [(0, 1, 0)] and i < self._axis:
                dimensions = []
        return dimensions
