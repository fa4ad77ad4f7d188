# tflm_tools: the bytes of flash that each operator takes in a flat model
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.context import IN_ROM, NO_OPERAND


def operands_in(record, kind):
    """The operand words of a record that count from `kind` (a constant of tflm.context)."""
    words = record.words[1 : 1 + record.operands]
    return [word for word in words if word & 3 == kind and word != NO_OPERAND]


# Where each constant ends, by its offset: padding counts, it takes flash too.
def _constant_ends(storage):
    starts = set()
    for record in storage.records:
        starts |= {word >> 2 for word in operands_in(record, IN_ROM)}
    ends = sorted(starts)[1:] + [len(storage.constants)]
    return dict(zip(sorted(starts), ends, strict=False))  # none at all where there is no start


def flash_by_node(storage):
    """{operator's number: bytes} of records, tables and constants of what Prepare returned.

    What several operators share counts at the first of them.
    """
    ends = _constant_ends(storage)
    found = {}
    for record in storage.records:
        size = record.nbytes()
        for word in operands_in(record, IN_ROM):
            # Taken out, so that what operators share counts once.
            size += ends.pop(word >> 2, word >> 2) - (word >> 2)
        found[record.node.index] = found.get(record.node.index, 0) + size
    return found
