# tflm_tools: image: some rows of a PAD or PADV2
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.prepare.strided import constant_indices

from ..model.schema import BuiltinOperator
from .parts import Part, noted_of

CODES = (BuiltinOperator.PAD, BuiltinOperator.PADV2)


def paddings_of(node):
    """[(before, after)] of each dimension."""
    numbers = constant_indices(node, node.inputs[1], "the paddings")
    return list(zip(numbers[::2], numbers[1::2], strict=True))


class PaddedRows(Part):
    """Rows of a PAD: `before` of padding, those of the input that it is given, then padding.

    Without inputs all of them are padding.
    """

    def __init__(self, whole, inputs, outputs, axis, before):
        super().__init__(whole, inputs, outputs)
        self._whole, self._axis, self._before = whole, axis, before

    def prepare(self, context):
        """Write the record of this part, as long as that of any other one."""
        noted, target = noted_of(self._whole), self.outputs[0]
        size = noted.fields["value_size"]
        dimensions = self._dimensions()
        before, inside, after = (size * count for count in dimensions.pop())
        rows, table = 1, b""
        for left, middle, right in reversed(dimensions):
            rows *= left + middle + right
            table += struct.pack("<III", left + middle + right, middle, left)
        fields = dict(noted.fields, before=before, inside=inside, after=after, output=target)
        fields["input"] = self.inputs[0] if self.inputs else target  # nothing of it is read
        if isinstance(fields["value"], bytes):
            fields["value"] = context.constant(fields["value"])
        context.emit(noted.kernel, noted.layout, rows, target.nbytes() + 8 * rows, table, **fields)

    # (before, elements, after) of each dimension, those that the whole does not pad in the one
    # around them.
    def _dimensions(self):
        shape, found = list(self._whole.inputs[0].shape), []
        shape[self._axis] = self.inputs[0].shape[self._axis] if self.inputs else 0
        for i, sides in enumerate(paddings_of(self._whole)):
            left, right = sides
            if i == self._axis:
                left = self._before
                right = self.outputs[0].shape[i] - left - shape[i]
            if any(sides) or not found:
                found.append((left, shape[i], right))
            else:
                found[-1] = tuple(count * shape[i] for count in found[-1])
            if found == [(0, 1, 0)] and i < self._axis:
                found = []
        return found
