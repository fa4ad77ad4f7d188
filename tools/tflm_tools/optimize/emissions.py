# tflm_tools: the records that Prepare emits for one node, and arithmetic with their fields
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.prepare.table import OPS
from tflm.tflite.context import CUSTOM, MicroContext

from ..bands.operators.recording_context import RecordingContext
from ..image.custom import HostResolver


def emissions(node):
    """Return the Emissions of a builtin operator; [] if Prepare needs more than the node."""
    if node.builtin_code == CUSTOM or node.builtin_code not in OPS:
        return []
    context = RecordingContext(node)
    try:
        HostResolver().builtin(node.builtin_code).prepare(context, node)
    except AttributeError as error:
        if not hasattr(MicroContext, error.name):
            raise
        return []  # Prepare uses a service of the whole model
    return context.emissions


def lookup_table(node):
    """Return the outputs of a unary int8 operator for -128 ... 127 as a list, or None."""
    found = emissions(node)
    if len(found) != 1 or found[0].kernel != "lookup.eval_int8":
        return None
    table = memoryview(bytes(found[0].fields["entries"].data)).cast("b").tolist()
    return table[128:] + table[:128]


def multipliers(emission):
    """Return [(multiplier, shift)] of the channels of a record that ends with REQUANTIZE."""
    count = emission.fields["channels"]
    values = struct.unpack_from(f"<{count}I", emission.table)
    return list(zip(values, (s - 32 for s in emission.table[4 * count : 5 * count]), strict=True))


def requantize(x, multiplier, shift, fields):
    """Return the output of kernels/requantize.py for an accumulator; None if it overflows.

    fields: of an Emission, with the output's zero point and limits.
    """
    right = max(-shift, 0)
    x <<= max(shift, 0)
    if abs(x) >= 1 << 31:
        return None
    x = (x * multiplier + (1 << 30)) >> 31
    mask = (1 << right) - 1
    x = (x >> right) + ((x & mask) > (mask >> 1) + (x < 0))
    x += fields["output_zero_point"]
    return min(max(x, fields["activation_min"]), fields["activation_max"])
