# tflm_tools: BandedRecords: the records of a banded chain, stored once for all bands
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH

from .record_deltas import MAX_CHANGING_WORDS, UNIT_RANGE, all_words
from .rom_record import FULL_WORDS

MAX_STEPS = 127
_MAX_GROUP_OPERANDS = 6  # of a record in channel groups: operands precede the packed words
_MAX_REPEATS = 255


def record_buffer_bytes(record_sizes):
    """Return the bytes of arena that hold one record after the other, given the records' sizes."""
    return max(4 * FULL_WORDS, *record_sizes)


class BandedRecords:
    """The records of a BandedChain, if they differ between bands in single words only.

    Storing each band's records separately would need more RAM on a board than bands save.

    slots[s][b]: the record of slot s in band b, or None where nothing runs. A slot of the chain
    whose operator needs several records gives several slots here.
    groups: {first slot: (slots, repeats)} of slots that come again for other channels.
    is_rollable: False if the records cannot be stored once for all bands.
    """

    def __init__(self, chain, storage):
        records_of = {}
        for record in storage.records:
            records_of.setdefault(id(record.node), []).append(record)
        self.bands = len(chain.slots[0])
        self.nodes = chain.nodes
        self.slots = []
        self.is_rollable = True
        first_slots = []
        for slot in chain.slots:
            first_slots.append(len(self.slots))
            records = [records_of.get(id(node), []) if node is not None else None for node in slot]
            counts = {len(each) for each in records if each is not None}
            self.is_rollable = self.is_rollable and len(counts) == 1
            for k in range(min(counts)):
                self.slots.append([None if each is None else each[k] for each in records])
        first_slots.append(len(self.slots))
        self.groups = {}
        if self.is_rollable:
            for first, count, repeats in chain.groups:
                begin = first_slots[first]
                slots = first_slots[first + count] - begin
                if self._are_repeated(begin, slots, repeats, storage):
                    self.groups[begin] = slots, repeats
        saved = sum(slots * (repeats - 1) for slots, repeats in self.groups.values())
        steps = len(self.slots) - saved
        alike = all(map(_differ_in_words_only, self.slots))
        self.is_rollable = self.is_rollable and steps <= MAX_STEPS and alike

    def buffer_bytes(self):
        """Return the bytes of arena for the record that runs."""
        firsts = map(first_record, self.slots)
        return record_buffer_bytes([4 * len(r.words) + len(r.table) for r in firsts])

    def shared_scratch(self):
        """Return lists of numbers of scratch buffers that may share their bytes."""
        shared = []
        for slots in self.steps():
            for k in range(1, first_record(slots[0]).operands + 1):
                words = [r.words[k] for slot in slots for r in slot if r is not None]
                if words[0] & 3 == PLANNED_SCRATCH:
                    shared.append(sorted({word >> 2 for word in words}))
        return shared

    def steps(self):
        """Yield for each step its slots: one for each channel group."""
        at = 0
        while at < len(self.slots):
            slots, repeats = self.groups.get(at, (1, 1))
            for k in range(at, at + slots):
                yield [self.slots[k + slots * group] for group in range(repeats)]
            at += slots * repeats

    def sections(self):
        """Return [(steps, repeats)]: how often consecutive steps run in a band."""
        sections, at = [], 0
        while at < len(self.slots):
            slots, repeats = self.groups.get(at, (1, 1))
            if repeats == 1 and sections and sections[-1][1] == 1:
                sections[-1] = sections[-1][0] + 1, 1
            else:
                sections.append((slots, repeats))
            at += slots * repeats
        return sections

    def join_constants(self, storage):
        """Store the weights and biases of channel groups one after the other."""
        for slots in self.steps():
            for k in range(1, first_record(slots[0]).operands + 1):
                words = [first_record(slot).words[k] for slot in slots]
                if words[0] & 3 == IN_ROM and len(set(words)) > 1:
                    begin, size = storage.join_constants(words)
                    for group, slot in enumerate(slots):
                        for record in filter(None, slot):
                            record.words[k] = begin + (group * size << 2)

    # True if `slots` slots from `first` on repeat for other weights, biases and tables.
    def _are_repeated(self, first, slots, repeats, storage):
        for k in range(first, first + slots):
            groups = [self.slots[k + slots * group] for group in range(repeats)]
            if not _differ_by_group(groups, storage):
                return False
        return repeats <= _MAX_REPEATS


def first_record(slot):
    """Return the first record of a slot."""
    return next(record for record in slot if record is not None)


# True if the records of a slot call the same kernel with the same constants, have the same length,
# and differ only in words that deltas can name.
def _differ_in_words_only(slot):
    first = first_record(slot)
    for record in slot:
        if record is None:
            continue
        if _signature(record) != _signature(first):
            return False
        for k in range(1, first.operands + 1):
            word, first_word = record.words[k], first.words[k]
            if word & 3 != first_word & 3 or (word & 3 == IN_ROM and word != first_word):
                return False
        if record.words[0] not in UNIT_RANGE:
            return False
        if all_words(record)[MAX_CHANGING_WORDS:] != all_words(first)[MAX_CHANGING_WORDS:]:
            return False
    return True


# What no delta can change in a record.
def _signature(record):
    return record.kernel, record.operands, len(record.words), len(record.table)


# True if the slots of channel groups differ only in their constants, in numbers that grow by the
# same amount with each group, and in tables, which are the same in all bands.
def _differ_by_group(slots, storage):
    first = first_record(slots[0])
    if first.operands > _MAX_GROUP_OPERANDS or not all(map(_differ_in_words_only, slots)):
        return False
    second = first_record(slots[1])
    growth = [b - a for a, b in zip(first.words, second.words, strict=True)]
    for group, slot in enumerate(slots):
        pairs = list(zip(slot, slots[0], strict=True))
        if any((record is None) != (base is None) for record, base in pairs):
            return False
        pairs = [(record, base) for record, base in pairs if record is not None]
        tables = {(record.table, base.table) for record, base in pairs}
        if len(tables) > 1 and any(table != base for table, base in tables):
            return False
        for record, base in pairs:
            if _signature(record) != _signature(base):
                return False
            if not _grows_by_group(growth, record, base, group):
                return False
    return all(_has_joinable_constants(slots, k, storage) for k in range(1, first.operands + 1))


# True if each number of a record exceeds the first group's number by `group` * `growth`.
def _grows_by_group(growth, record, base, group):
    for i, (word, base_word) in enumerate(zip(record.words, base.words, strict=True)):
        if 0 < i <= base.operands:
            if word & 3 != base_word & 3 or base_word & 3 == IN_TAIL:
                return False
        elif growth[i] & 1 or word - base_word != group * growth[i]:
            return False
    return True


# True if operand `k` names constants of the same size in each group, or the same in all, or none.
def _has_joinable_constants(slots, k, storage):
    words = [first_record(slot).words[k] for slot in slots]
    if words[0] & 3 != IN_ROM or len(set(words)) == 1:
        return True
    if NO_OPERAND in words:
        return False
    sizes = {storage.constant_bytes(word) for word in words}
    return len(sizes) == 1 and not sizes.pop() % 4
