# tflm_tools: some rows of a RESIZE_NEAREST_NEIGHBOR that repeats pixels, as a strided copy
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.prepare.resize_nearest_neighbor import nearest_indices
from tflm.prepare.strided import STRIDED, element_bytes

from ...model.schema import BuiltinOperator, option
from .partial_operator import PartialOperator

CODE = BuiltinOperator.RESIZE_NEAREST_NEIGHBOR


class RepeatedRows(PartialOperator):
    """Rows of a RESIZE_NEAREST_NEIGHBOR for which repeats_pixels() is true.

    The record has the same number of words for any number of rows, so bands can share it.
    """

    def prepare(self, context):
        """Write the record of these rows."""
        source, target = self.inputs[0], self.outputs[0]
        (_, height, width, depth), (_, rows, columns, _) = source.shape, target.shape
        size = depth * element_bytes(self, source)
        repeats, line = columns // width, columns * size
        # (repeats, bytes to the next input, bytes to the next output), the innermost loop first.
        loops = [
            (width, size, repeats * size), (repeats, 0, size),
            (rows // height, 0, line), (height, width * size, rows // height * line),
        ]  # fmt: skip
        context.emit(
            "strided_copy.eval", STRIDED, rows * columns, rows * columns * (2 + size),
            table=b"".join(struct.pack("<iii", *loop) for loop in loops),
            input=source, output=target, input_offset=0, output_offset=0, size=size,
            loops=len(loops),
        )  # fmt: skip


def repeats_pixels(node):
    """Return True for a RESIZE_NEAREST_NEIGHBOR that repeats each pixel equally often."""
    source, target = node.inputs[0], node.outputs[0]
    if node.builtin_code != CODE or len(source.shape) != 4:
        return False
    if not source.elements() or len(target.shape) != 4:
        return False
    options = option(node, "ALIGN_CORNERS", "B"), option(node, "HALF_PIXEL_CENTERS", "B")
    for size, enlarged in zip(source.shape[1:3], target.shape[1:3], strict=True):
        repeats = enlarged // size
        if repeats * size != enlarged:
            return False
        if nearest_indices(size, enlarged, *options) != [i // repeats for i in range(enlarged)]:
            return False
    return True
