# tflm_tools: signature_choice: makes a signature of a .tflite the one that runs
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.errors import ModelError
from tflm.tflite.flatbuffer import Table, scalar

# Fields of the schema's tables.
_SUBGRAPHS, _SIGNATURES = 2, 7  # of Model
_KEY, _SUBGRAPH = 2, 4  # of SignatureDef


def choose_signature(path, data, name):
    """Return a .tflite (bytes) whose main sub-graph is the one of a signature, the only one left.

    path: for messages. data: a .tflite with signatures. name: the key of the signature.
    Interpreters run sub-graph 0, so entry 0 of the list of sub-graphs becomes the sub-graph of the
    signature. The file keeps its size and its other sub-graphs, so that control flow finds them.
    Raises ModelError if the model has no such signature.
    """
    root = Table(data, scalar(data, 0, "I"))
    subgraphs, signatures = root.vector(_SUBGRAPHS), root.vector(_SIGNATURES)
    tables = {}
    for i in range(len(signatures) if signatures else 0):
        table = signatures.table(i)
        tables[table.string(_KEY)] = table
    if name not in tables:
        found = "its signatures are: " + ", ".join(tables) if tables else "it has no signatures"
        raise ModelError(f"{path} has no signature {name}; {found}")
    chosen = tables[name]
    number = chosen.get(_SUBGRAPH, "I")
    changed = bytearray(data)
    if number:
        target = subgraphs.table(number).position if number < len(subgraphs) else 0
        if target <= subgraphs.start:
            raise ModelError(f"the signature {name} of {path} is damaged; get an intact copy")
        struct.pack_into("<I", changed, subgraphs.start, target - subgraphs.start)
        struct.pack_into("<I", changed, chosen.field_position(_SUBGRAPH), 0)
    if chosen.position <= signatures.start:
        raise ModelError(f"the signature {name} of {path} is damaged; get an intact copy")
    struct.pack_into("<II", changed, signatures.start - 4, 1, chosen.position - signatures.start)
    return bytes(changed)
