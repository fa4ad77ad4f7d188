# tflm_tools: lists the scratch buffers that one operator uses alone, as metadata for delegates
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter

from tflm import format as layout
from tflm.tflite.context import PLANNED_SCRATCH

from ..bands.band_op import KERNEL as BAND_KERNEL


def scratch_entries(records):
    """Return [(index of the record, operand, number of the scratch buffer)].

    records: RomRecords in the order of the op table, whose words still name scratch buffers.
    A buffer that several records name passes values between them and is omitted. Banded chains,
    which delegates do not run, are omitted, too.
    """
    entries = []
    chains = {record.words[2] for record in records if record.kernel == BAND_KERNEL}
    for op, record in enumerate(records):
        if record.step_list in chains:
            continue
        for operand in range(1, record.operands + 1):
            word = record.words[operand]
            if word & 3 == PLANNED_SCRATCH:
                entries.append((op, operand, word >> 2))
    users = Counter(number for _, _, number in entries)
    return [entry for entry in entries if users[entry[2]] == 1]


def pack_scratch(storage):
    """Return the metadata tflm.scratch of a RomStorage whose records are in their final order."""
    return b"".join(
        struct.pack(layout.SCRATCH_ENTRY, op, operand, storage.scratch_buffers[number].size)
        for op, operand, number in scratch_entries(storage.records)
    )
