# tflm_tools: image: some rows of a RESIZE_BILINEAR, at the places that they have in the whole
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.errors import TflmError

from ..model.schema import BuiltinOperator
from .parts import Part, noted_of

CODE = BuiltinOperator.RESIZE_BILINEAR

_SIDES = {1: "height", 2: "width"}  # by the axis of rows
_BITS = 10  # of a fraction of a pixel
_WORK = 6  # of an element, as Prepare has it


def places_of(node, axis):
    """(first, behind) rows of the input for each row of a RESIZE_BILINEAR of int8, as tuples.

    axis: 1, or 2 for columns in place of rows. None for other types.
    """
    try:
        fields = noted_of(node).fields
    except TflmError:
        return None  # which the model's own Prepare tells
    side = _SIDES[axis]
    if f"{side}_start" not in fields:
        return None
    start, scale = fields[f"{side}_start"], fields[f"{side}_scale"]
    last = fields[f"input_{side}"] - 1 << _BITS
    places = [min(max(start + i * scale, 0), last) for i in range(fields[f"output_{side}"])]
    behind = (1 << _BITS) - 1
    return tuple(p >> _BITS for p in places), tuple((p + behind >> _BITS) + 1 for p in places)


class ResizedRows(Part):
    """Rows of a RESIZE_BILINEAR; of axis 2, columns.

    first: which row of the output is the first one; low: which of the input.
    """

    def __init__(self, whole, inputs, outputs, axis, first, low):
        super().__init__(whole, inputs, outputs)
        self._noted = noted_of(whole)
        self._axis, self._first, self._low = axis, first, low

    def prepare(self, context):
        """Write the record of this part."""
        source, target = self.inputs[0], self.outputs[0]
        fields, side = dict(self._noted.fields), _SIDES[self._axis]
        fields.update(input=source, output=target)
        fields[f"input_{side}"] = source.shape[self._axis]
        fields[f"output_{side}"] = target.shape[self._axis]
        fields[f"{side}_start"] += self._first * fields[f"{side}_scale"] - (self._low << _BITS)
        work = target.elements() * _WORK
        context.emit(self._noted.kernel, self._noted.layout, target.shape[1], work, **fields)
