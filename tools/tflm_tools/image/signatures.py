# tflm_tools: packs the signatures of a model as metadata of a .tflm
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import format as layout


def pack_signatures(table):
    """Return the metadata (bytes) that tflm.introspection.signature.parse() reads as `table`.

    table: {key: (sub-graph, inputs, outputs)}; inputs and outputs are lists of (position, name).
    """
    data = struct.pack("<H", len(table))
    for key in sorted(table):
        number, inputs, outputs = table[key]
        data += struct.pack(layout.SIGNATURE, number, len(inputs), len(outputs)) + _string(key)
        for position, name in inputs + outputs:
            data += struct.pack("<H", position) + _string(name)
    return data


# The text with its length in front.
def _string(text):
    raw = text.encode()
    return struct.pack("<H", len(raw)) + raw
