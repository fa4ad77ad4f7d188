# tflm_tools: RecordingContext: keeps what Prepare of one operator emits, without any model
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass

from tflm.op_resolver import OpResolver
from tflm.tflite.context import Operand


@dataclass
class Emission:
    """A record that Prepare would write.

    fields: {name of `layout`: tensor, Operand, number or None}. An Operand of constant() has its
    bytes as `data`.
    """

    kernel: str
    layout: tuple
    fields: dict
    table: bytes

    @property
    def file(self):
        """The name of the kernel's file."""
        return self.kernel.partition(".")[0]


class RecordingContext:
    """The services of a MicroContext that Prepare of stateless builtin operators uses.

    emissions: what Prepare has emitted so far. There is no target, so no weights are packed.
    """

    target_packing = None

    may_reorder_weights = False

    def __init__(self, node):
        self.node = node
        self.packing = {}
        self.emissions = []

    def request_scratch_buffer(self, size):
        return Operand(0, size)

    def constant(self, data, alignment=4):
        operand = Operand(0, len(data))
        operand.data = bytes(data)
        return operand

    def emit(self, kernel, layout, units, work=0, table=b"", **fields):
        self.emissions.append(Emission(kernel, layout, fields, bytes(table)))


def emission_of(node):
    """Return the last Emission of a builtin operator. Raises TflmError as its Prepare does."""
    context = RecordingContext(node)
    OpResolver().builtin(node.builtin_code).prepare(context, node)
    return context.emissions[-1]
