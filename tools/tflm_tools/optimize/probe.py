# tflm_tools: probe: what Prepare computes for one node, without storing it anywhere
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

from tflm.prepare.table import OPS
from tflm.tflite.context import CUSTOM, MicroContext, Operand

from ..image.custom import HostResolver


@dataclass
class Emission:
    """A record that Prepare would write: its fields are tensors, operands and numbers."""

    kernel: str
    fields: dict
    table: bytes

    @property
    def file(self):
        return self.kernel.partition(".")[0]


# As much of a MicroContext as Prepare of operators without state needs.
class _Probe:
    target_packing = None

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
        self.emissions.append(Emission(kernel, fields, bytes(table)))


def emissions(node):
    """The records of a node of a builtin operator; [] for one that cannot be asked alone."""
    if node.builtin_code == CUSTOM or node.builtin_code not in OPS:
        return []
    probe = _Probe(node)
    try:
        HostResolver().builtin(node.builtin_code).prepare(probe, node)
    except AttributeError as error:
        if not hasattr(MicroContext, error.name):
            raise
        return []  # it needs services of the whole model
    return probe.emissions


def lookup_table(node):
    """The table of a unary operator of int8: a list of what -128 ... 127 become; or None."""
    found = emissions(node)
    if len(found) != 1 or found[0].kernel != "lookup.eval_int8":
        return None
    table = memoryview(bytes(found[0].fields["entries"].data)).cast("b").tolist()
    return table[128:] + table[:128]


def multipliers(emission):
    """[(multiplier, shift)] of the channels of a record that ends with common.REQUANTIZE."""
    count = emission.fields["channels"]
    values = struct.unpack_from(f"<{count}I", emission.table)
    return list(zip(values, (s - 32 for s in emission.table[4 * count : 5 * count]), strict=True))


def requantize(x, multiplier, shift, fields):
    """What kernels/requantize.py makes of an accumulator; None where it overflows."""
    right = max(-shift, 0)
    x <<= max(shift, 0)
    if abs(x) >= 1 << 31:
        return None
    x = (x * multiplier + (1 << 30)) >> 31
    mask = (1 << right) - 1
    x = (x >> right) + ((x & mask) > (mask >> 1) + (x < 0))
    x += fields["output_zero_point"]
    return min(max(x, fields["activation_min"]), fields["activation_max"])
