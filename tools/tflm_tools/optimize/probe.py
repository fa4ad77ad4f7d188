# tflm_tools: probe: what Prepare computes for one node, without storing it anywhere
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from dataclasses import dataclass

import numpy as np
from tflm.prepare.table import OPS
from tflm.tflite.context import CUSTOM, Operand

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
    target = None

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
    except AttributeError:  # it needs services of the whole model
        return []
    return probe.emissions


def lookup_table(node):
    """The table of a unary operator of int8: an array of what -128 ... 127 become; or None."""
    found = emissions(node)
    if len(found) != 1 or found[0].kernel != "lookup.eval_int8":
        return None
    table = np.frombuffer(found[0].fields["entries"].data, np.int8)
    return np.concatenate([table[128:], table[:128]])


def multipliers(emission):
    """(multipliers, shifts) of the channels of a record that ends with common.REQUANTIZE."""
    count = emission.fields["channels"]
    values = struct.unpack_from(f"<{count}I", emission.table)
    shifts = emission.table[4 * count : 5 * count]
    return np.array(values, np.int64), np.array([s - 32 for s in shifts], np.int64)


def requantize(sums, multiplier, shift, fields):
    """What kernels/requantize.py makes of accumulators (int64 arrays); None where they overflow.

    multiplier, shift: numbers, or an array with one for each sum.
    """
    left, right = np.maximum(shift, 0), np.maximum(-np.asarray(shift), 0)
    x = sums << left
    if np.any(np.abs(x) >= 1 << 31):
        return None
    x = (x * multiplier + (1 << 30)) >> 31
    mask = (1 << right) - 1
    x = (x >> right) + ((x & mask) > (mask >> 1) + (x < 0))
    x = x + fields["output_zero_point"]
    return np.clip(x, fields["activation_min"], fields["activation_max"])
