# tflm_tools: Loop: the records of a chain in bands, each once, and what changes from band to band
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter

from tflm.format import CONTROL_KERNEL
from tflm.tflite.context import IN_ROM, PLANNED_SCRATCH

from .records import RomRecord

KERNEL = CONTROL_KERNEL + "bands"

# Operand `block`: where the record that runs lies, behind how far the chain has come, in `words`
# words. `steps`: the number of the records' list. Behind it a table: halfwords, the word of this
# record where a list begins that says what words grow by in each band, counted from the one in the
# middle, and for each band where the list of its changes begins; then these lists, each with an
# END: a word's number, counted over all records of the chain, and what is added to it.
BANDS = ("block", "steps", "words")
END = 0x7FFFFFFF

_CURSOR_BYTES = 16  # in front of the record that runs
_TURNS = (1, 2, 3, 4, 6, 8)  # bands after which those behind strides come again
_MASK = 0xFFFFFFFF


def block_bytes(sizes):
    """Bytes of arena that a chain needs to run records of so many bytes, one after the other."""
    return _CURSOR_BYTES + max(sizes)


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
        """Bytes for the record that runs."""
        return block_bytes([4 * len(r.words) + len(r.table) for r in map(_first, self.records)])

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
    templates, growth, changes = [], [], [[] for _ in range(loop.bands)]
    at = 0
    for row in loop.records:
        made = [None if record is None else _words(storage, record) for record in row]
        common, placed = [], {}  # the record that has the word that most have, for each word
        for i in range(len(_words(storage, _first(row)))):
            values = [words and words[i] for words in made]
            if i == 0:
                values = [value or 0 for value in values]  # no units where it does not run
            slope = _slope(values) if 1 <= i <= _first(row).operands else 0
            bases, usual = _bases(values, slope)
            if not usual and i == 0:  # in the model each record has units, as any other
                usual = Counter(filter(None, values)).most_common(1)[0][0]
            if slope and not 0 <= usual >> 2 <= storage.head_bytes:
                slope = 0
                bases, usual = _bases(values, slope)
            if slope:
                growth.append((at + i, slope & _MASK))
            if slope or i == 0:
                placed[i] = usual
            common.append(row[bases.index(usual)] or _first(row))
            for band, base in enumerate(bases):
                if base not in (None, usual):
                    changes[band].append((at + i, base - usual & _MASK))
        templates.append(_template(row, common, placed, storage.step_lists))
        at += len(common)
    control = RomRecord(
        0,
        loop.nodes[0],
        KERNEL,
        [loop.bands, block << 2 | PLANNED_SCRATCH, storage.step_lists, loop.block_bytes() // 4],
        1,
        1,
        _table(1 + len(BANDS), [growth, *changes]),
    )
    control.ordered = True
    storage.step_lists += 1
    gone = {id(record) for row in loop.records for record in row}
    start = next(i for i, record in enumerate(storage.records) if id(record) in gone)
    before = storage.records[:start]
    behind = [record for record in storage.records[start:] if id(record) not in gone]
    storage.records = [*before, control, *behind, *templates]


# What a place grows by from band to band, if that leaves fewer numbers to tell apart: a place in a
# whole tensor does. `values`: the word in each band, None where the record does not run.
def _slope(values):
    known = {band: value for band, value in enumerate(values) if value is not None}
    if len(set(known.values())) == 1:
        return 0
    slopes = {0}
    for turn in _TURNS:
        steps = [known[b + turn] - known[b] for b in known if b + turn in known]
        steps = Counter(step // turn for step in steps if step % (4 * turn) == 0)
        slopes.update(step for step, _ in steps.most_common(2))

    def bases(slope):
        return len({value - slope * band for band, value in known.items()})

    return min(slopes, key=lambda slope: (bases(slope), slope != 0, abs(slope), slope))


# What a word is but for its growth, counted from the band in the middle; and what it mostly is.
def _bases(values, slope):
    middle = len(values) // 2
    bases = [v if v is None else v - slope * (b - middle) for b, v in enumerate(values)]
    return bases, Counter(base for base in bases if base is not None).most_common(1)[0][0]


# The record of a slot in the model: each word is that of one of its records, or as `placed` says.
def _template(row, common, placed, step_list):
    first = _first(row)
    most = max((r for r in row if r is not None), key=lambda record: record.words[0])
    count = len(first.words)
    words = [placed.get(i, record.words[i]) for i, record in enumerate(common[:count])]
    table = [record.table[4 * i : 4 * i + 4] for i, record in enumerate(common[count:])]
    template = RomRecord(
        step_list,
        first.node,
        first.kernel,
        words,
        first.operands,
        most.slice_units,
        b"".join(table),
    )
    template.ordered = True
    template.placed = placed
    return template


# Where each list of changes begins, counted in words from the record's first, and all of them:
# what several bands need is there once, at the end of a longer list where that is the same.
def _table(words, changes):
    at = words + (len(changes) + 1) // 2
    known, flat = {}, []
    for found in sorted(map(tuple, changes), key=len, reverse=True):
        if found in known:
            continue
        for k in range(len(found) + 1):
            known.setdefault(found[k:], at + len(flat) + 2 * k)
        flat += [*(value for change in found for value in change), END]
    starts = [known[tuple(found)] for found in changes]
    starts += [0] * (len(starts) & 1)
    return struct.pack(f"<{len(starts)}H{len(flat)}I", *starts, *flat)


# The words of a record and its table as they will be in the file; those of constants do not
# matter.
def _words(storage, record):
    words = list(record.words)
    for k in range(1, record.operands + 1):
        if words[k] & 3 != IN_ROM:
            words[k] = storage.operand_word(words[k], 0)
    return words + list(struct.unpack(f"<{len(record.table) // 4}I", record.table))
