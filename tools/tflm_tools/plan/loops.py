# tflm_tools: Loop: the records of a chain in bands, each once, and what changes from band to band
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm.format import CONTROL_KERNEL
from tflm.tflite.context import IN_ROM, PLANNED_SCRATCH

from .records import RomRecord

KERNEL = CONTROL_KERNEL + "bands"

# Operand `block`: where the records lie while the chain runs, in `words` words. `steps`: the
# number of their list. Behind it a table: for each band, and once more, the word of this record
# where its changes begin; then the changes, pairs of a word's number in the block and its value.
BANDS = ("block", "steps", "words")


class Loop:
    """A Chain whose parts' records differ in single words only, those of their tables among them.

    Without it each band would have records and steps of its own, which take a board more RAM
    than bands save. `records[s][b]`: the record of slot s in band b, or None.
    """

    def __init__(self, chain, storage):
        found = {}
        for record in storage.records:
            found.setdefault(id(record.node), []).append(record)
        self.bands = len(chain.slots[0])
        self.nodes = chain.nodes
        self.records = []
        self.fits = True
        for slot in chain.slots:
            made = [found.get(id(node), []) if node is not None else None for node in slot]
            counts = {len(records) for records in made if records is not None}
            self.fits = self.fits and len(counts) == 1
            for k in range(min(counts)):
                self.records.append([None if records is None else records[k] for records in made])
        self.fits = self.fits and all(map(_alike, self.records))

    def block_bytes(self):
        """Bytes of the records."""
        return sum(4 * len(r.words) + len(r.table) for r in map(_first, self.records))

    def scratch(self):
        """Numbers of scratch buffers that may be one: a list of lists."""
        shared = []
        for row in self.records:
            for k in range(1, _first(row).operands + 1):
                words = [r.words[k] for r in row if r is not None]
                if words[0] & 3 == PLANNED_SCRATCH:
                    shared.append(sorted({word >> 2 for word in words}))
        return shared


# The first record of a slot.
def _first(row):
    return next(record for record in row if record is not None)


# True when records call the same kernel with the same constants, and are as long.
def _alike(row):
    first = _first(row)
    for record in row:
        if record is None:
            continue
        if (record.kernel, record.operands, len(record.words), len(record.table)) != (
            first.kernel, first.operands, len(first.words), len(first.table)
        ):  # fmt: skip
            return False
        for k in range(1, first.operands + 1):
            mine, other = record.words[k], first.words[k]
            if mine & 3 != other & 3 or (mine & 3 == IN_ROM and mine != other):
                return False
    return True


def roll(storage, loop, block):
    """Replace the records of a Loop by one for each slot, in a list of steps of their own.

    The plan must be made; `block` is the number of the scratch buffer for the records.
    """
    templates, changes = [], [[] for _ in range(loop.bands)]
    at = 0
    for row in loop.records:
        first = _first(row)
        words = _words(storage, first)
        for band, record in enumerate(row):
            # A band without rows leaves all as it is.
            wanted = [0, *words[1:]] if record is None else _words(storage, record)
            pairs = enumerate(zip(words, wanted, strict=True))
            changes[band] += [(at + i, new) for i, (old, new) in pairs if old != new]
            words = wanted
        most = max((r for r in row if r is not None), key=lambda record: record.words[0])
        first.slice_units = most.slice_units
        first.step_list = storage.step_lists
        first.ordered = True
        templates.append(first)
        at += len(words)
    control = RomRecord(
        0,
        loop.nodes[0],
        KERNEL,
        [loop.bands, block << 2 | PLANNED_SCRATCH, storage.step_lists, at],
        1,
        1,
        _table(1 + len(BANDS), changes),
    )
    control.ordered = True
    storage.step_lists += 1
    gone = {id(record) for row in loop.records for record in row}
    start = next(i for i, record in enumerate(storage.records) if id(record) in gone)
    before = storage.records[:start]
    behind = [record for record in storage.records[start:] if id(record) not in gone]
    storage.records = [*before, control, *behind, *templates]


# Where each band's changes begin, counted in words from the record's first, and all changes.
def _table(words, changes):
    at = words + len(changes) + 1
    starts = []
    for found in changes:
        starts.append(at)
        at += 2 * len(found)
    flat = [value for found in changes for pair in found for value in pair]
    return struct.pack(f"<{len(starts) + 1 + len(flat)}I", *starts, at, *flat)


# The words of a record and its table as they will be in the file; those of constants do not
# matter.
def _words(storage, record):
    words = list(record.words)
    for k in range(1, record.operands + 1):
        if words[k] & 3 != IN_ROM:
            words[k] = storage.operand_word(words[k], 0)
    return words + list(struct.unpack(f"<{len(record.table) // 4}I", record.table))
