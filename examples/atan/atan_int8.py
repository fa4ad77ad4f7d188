# Example of a custom operator: Atan for int8, with a table in a persistent buffer and viper
# MIT license; Copyright (c) 2026 the tflm authors

import math
import struct

import micropython
import tflm


# The scale of a tensor of the graph, as a float.
def _scale(tensor):
    return struct.unpack("<f", struct.pack("<I", tensor.scale_bits()))[0]


# Compute y = table[x] for `count` bytes; the unsigned bytes of x are the indices.
@micropython.viper
def _look_up(x: ptr8, table: ptr8, y: ptr8, count: int):
    for i in range(count):
        y[i] = table[x[i]]


class Atan:
    def init(self, context, options):
        return {"offset": (options or {}).get("offset", 0.0)}

    # The table must persist between invokes, so it needs a persistent buffer.
    def prepare(self, context, node):
        x, y = node.inputs[0], node.outputs[0]
        if x.dtype != tflm.dtypes.INT8 or y.dtype != x.dtype or x.shape != y.shape:
            raise tflm.UnsupportedError("Atan needs int8 of one shape here; use atan.py")
        node.data["table"] = operand = context.allocate_persistent_buffer(256)
        table = context.get_persistent_buffer(operand)
        for q in range(-128, 128):
            real = math.atan(_scale(x) * (q - x.zero_point()) + node.data["offset"])
            value = round(real / _scale(y)) + y.zero_point()
            table[q & 0xFF] = min(max(value, -128), 127) & 0xFF

    def invoke(self, context, node):
        x, y = node.inputs[0].raw, node.outputs[0].raw
        _look_up(x, context.get_persistent_buffer(node.data["table"]), y, len(x))


def register(resolver):
    resolver.add_custom("Atan", Atan())
