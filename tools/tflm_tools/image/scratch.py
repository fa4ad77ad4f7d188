# tflm_tools: which scratch buffers belong to one op alone, for delegates on the board
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter

from tflm import format as layout
from tflm.tflite.context import PLANNED_SCRATCH

from ..arena.rolled import KERNEL as BANDS


def scratch_entries(records):
    """Metadata tflm.scratch (bytes) of records (RomRecord) in the order of the op table.

    Their words still name scratch buffers. One that several records name hands something on from
    one to the next, and is left out. So are those of chains in bands, which delegates leave alone.
    """
    found = []
    chains = {record.words[2] for record in records if record.kernel == BANDS}
    for op, record in enumerate(records):
        if record.step_list in chains:
            continue
        for operand in range(1, record.operands + 1):
            word = record.words[operand]
            if word & 3 == PLANNED_SCRATCH:
                found.append((op, operand, word >> 2))
    users = Counter(number for _, _, number in found)
    return [(op, operand, number) for op, operand, number in found if users[number] == 1]


def pack_scratch(storage):
    """The metadata of a RomStorage whose records are in their final order."""
    return b"".join(
        struct.pack(layout.SCRATCH_ENTRY, op, operand, storage.scratch_buffers[number].size)
        for op, operand, number in scratch_entries(storage.records)
    )
