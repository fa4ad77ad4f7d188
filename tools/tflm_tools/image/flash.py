# tflm_tools: counts the bytes of flash that each operator of a flat model occupies
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.context import IN_ROM, NO_OPERAND


def operands_in(record, kind):
    """Return the operand words of a record that count from `kind`, a constant of tflm.context."""
    words = record.words[1 : 1 + record.operands]
    return [word for word in words if word & 3 == kind and word != NO_OPERAND]


# {offset of a constant: where it ends}, its padding included.
def _constant_ends(storage):
    starts = set()
    for record in storage.records:
        starts |= {word >> 2 for word in operands_in(record, IN_ROM)}
    ends = sorted(starts)[1:] + [len(storage.constants)]
    return dict(zip(sorted(starts), ends, strict=False))  # without any start there is one end more


def flash_by_node(storage):
    """Return {operator's number: bytes} of records, tables and constants in a RomStorage.

    A constant that several operators share counts for the first of them.
    """
    ends = _constant_ends(storage)
    sizes = {}
    for record in storage.records:
        size = record.nbytes()
        for word in operands_in(record, IN_ROM):
            # pop(): the next operator that shares the constant adds 0 bytes.
            size += ends.pop(word >> 2, word >> 2) - (word >> 2)
        sizes[record.node.index] = sizes.get(record.node.index, 0) + size
    return sizes
