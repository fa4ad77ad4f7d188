# tflm_tools: some rows of a RESIZE_BILINEAR, at the positions that they have in the whole output
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError

from ...model.schema import BuiltinOperator
from .partial_operator import PartialOperator
from .recording_context import emission_of

CODE = BuiltinOperator.RESIZE_BILINEAR

_SIDES = {1: "height", 2: "width"}  # by the axis of rows
_FRACTION_BITS = 10  # of a position between two pixels
_WORK_PER_ELEMENT = 6  # as Prepare counts it


def input_rows_of(node, axis):
    """Return (first, end) rows of the input for each row of a RESIZE_BILINEAR of int8, as tuples.

    axis: 1, or 2 for columns in place of rows. Returns None for other types.
    """
    try:
        fields = emission_of(node).fields
    except TflmError:
        return None  # Prepare of the model reports it
    side = _SIDES[axis]
    if f"{side}_start" not in fields:
        return None
    start, scale = fields[f"{side}_start"], fields[f"{side}_scale"]
    last = fields[f"input_{side}"] - 1 << _FRACTION_BITS
    positions = [min(max(start + i * scale, 0), last) for i in range(fields[f"output_{side}"])]
    round_up = (1 << _FRACTION_BITS) - 1
    firsts = tuple(p >> _FRACTION_BITS for p in positions)
    return firsts, tuple((p + round_up >> _FRACTION_BITS) + 1 for p in positions)


class ResizedRows(PartialOperator):
    """Rows of a RESIZE_BILINEAR; with axis 2, columns.

    first, first_input: the first row of the output and of the input, counted in the whole tensors.
    """

    def __init__(self, whole, inputs, outputs, axis, first, first_input):
        super().__init__(whole, inputs, outputs)
        self._emission = emission_of(whole)
        self._axis, self._first, self._first_input = axis, first, first_input

    def prepare(self, context):
        """Write the record of these rows."""
        source, target = self.inputs[0], self.outputs[0]
        fields, side = dict(self._emission.fields), _SIDES[self._axis]
        fields.update(input=source, output=target)
        fields[f"input_{side}"] = source.shape[self._axis]
        fields[f"output_{side}"] = target.shape[self._axis]
        skipped = self._first_input << _FRACTION_BITS
        fields[f"{side}_start"] += self._first * fields[f"{side}_scale"] - skipped
        work = target.elements() * _WORK_PER_ELEMENT
        emission = self._emission
        context.emit(emission.kernel, emission.layout, target.shape[1], work, **fields)
