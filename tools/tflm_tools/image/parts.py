# tflm_tools: image: parts of operators, for some rows, that Prepare of the whole knows nothing of
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass, field

from tflm.op_resolver import OpResolver
from tflm.prepare.resize_nearest_neighbor import nearest_indices
from tflm.prepare.strided import STRIDED, element_bytes
from tflm.tflite.graph import Node

from ..model.schema import BuiltinOperator, option


class Part(Node):
    """What an operator does for some rows: prepare(context) writes its record."""

    def __init__(self, whole, inputs, outputs):
        code, version = whole.builtin_code, whole.version
        super().__init__(whole.index, code, version, "", inputs, outputs)
        self.origins = getattr(whole, "origins", (whole.index,))


@dataclass
class Noted:
    """What Prepare of a whole operator emits: the context that it is told."""

    kernel: str = ""
    layout: tuple = ()
    fields: dict = field(default_factory=dict)
    table: bytes = b""
    target_packing = None  # as without a target

    def emit(self, kernel, layout, units, work=0, table=b"", **fields):
        self.kernel, self.layout, self.fields, self.table = kernel, layout, fields, table

    def request_scratch_buffer(self, size):
        return size

    def constant(self, data, alignment=4):
        return bytes(data)


def noted_of(node):
    """The Noted of an operator. Raises TflmError as its Prepare does."""
    noted = Noted()
    OpResolver().builtin(node.builtin_code).prepare(noted, node)
    return noted


class Parts:
    """Prepare of an operator, or of a Part of one."""

    def __init__(self, whole):
        self._whole = whole

    def prepare(self, context, node):
        if isinstance(node, Part):
            node.prepare(context)
        else:
            self._whole.prepare(context, node)


class RepeatedRows(Part):
    """Rows of a RESIZE_NEAREST_NEIGHBOR that has each pixel several times: a copy.

    Its record has as many words for one row as for more, so that bands can share it.
    """

    def prepare(self, context):
        source, target = self.inputs[0], self.outputs[0]
        (_, height, width, depth), (_, rows, columns, _) = source.shape, target.shape
        size = depth * element_bytes(self, source)
        times, line = columns // width, columns * size
        # Turns, bytes from one to the next of the input and of the output, the innermost first.
        loops = [
            (width, size, times * size), (times, 0, size),
            (rows // height, 0, line), (height, width * size, rows // height * line),
        ]  # fmt: skip
        context.emit(
            "strided_copy.eval", STRIDED, rows * columns, rows * columns * (2 + size),
            table=b"".join(struct.pack("<iii", *loop) for loop in loops),
            input=source, output=target, input_offset=0, output_offset=0, size=size,
            loops=len(loops),
        )  # fmt: skip


def repeats(node):
    """True for a RESIZE_NEAREST_NEIGHBOR that has each pixel of its input equally often."""
    source, target = node.inputs[0], node.outputs[0]
    if node.builtin_code != BuiltinOperator.RESIZE_NEAREST_NEIGHBOR or len(source.shape) != 4:
        return False
    if not source.elements() or len(target.shape) != 4:
        return False
    options = option(node, "ALIGN_CORNERS", "B"), option(node, "HALF_PIXEL_CENTERS", "B")
    for size, many in zip(source.shape[1:3], target.shape[1:3], strict=True):
        each = many // size
        if each * size != many:
            return False
        if nearest_indices(size, many, *options) != [i // each for i in range(many)]:
            return False
    return True
