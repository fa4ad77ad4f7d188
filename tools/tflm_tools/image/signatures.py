# tflm_tools: signatures of a model as metadata of a .tflm
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import format as layout


def pack_signatures(table):
    """The metadata (bytes) that tflm.introspection.signature.parse() makes this table of.

    table: {key: (sub-graph, inputs, outputs)}, both lists of (position, name).
    """
    data = struct.pack("<H", len(table))
    for key in sorted(table):
        number, inputs, outputs = table[key]
        data += struct.pack(layout.SIGNATURE, number, len(inputs), len(outputs)) + _string(key)
        for position, name in inputs + outputs:
            data += struct.pack("<H", position) + _string(name)
    return data


def _string(text):
    raw = text.encode()
    return struct.pack("<H", len(raw)) + raw
