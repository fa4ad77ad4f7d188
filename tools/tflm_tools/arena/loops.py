# tflm_tools: Loop: the records of a chain in bands, of which the file has one for all bands
# MIT license; Copyright (c) 2026 the tflm authors

from tflm.tflite.context import IN_ROM, IN_TAIL, NO_OPERAND, PLANNED_SCRATCH

from .changes import FITS, WORDS, numbers_of
from .records import WHOLE

MOST_STEPS = 127
_MOST_OPERANDS = 6  # of records of groups: what they name lies before what is stored in halves


def block_bytes(sizes):
    """Bytes of arena that a chain needs to run records of so many bytes, one after the other."""
    return max(4 * WHOLE, *sizes)


class Loop:
    """A Chain whose parts' records differ in single words only, those of their tables among them.

    Without it each band would have records and steps of its own, which take a board more RAM
    than bands save. `records[s][b]`: the record of slot s in band b, or None. `groups`: {first
    slot: (slots, times)} where the same comes again for other channels, `times` in all.
    """

    def __init__(self, chain, storage):
        found = {}
        for record in storage.records:
            found.setdefault(id(record.node), []).append(record)
        self.bands = len(chain.slots[0])
        self.nodes = chain.nodes
        self.records = []
        self.fits = True
        begins = []
        for slot in chain.slots:
            begins.append(len(self.records))
            made = [found.get(id(node), []) if node is not None else None for node in slot]
            counts = {len(records) for records in made if records is not None}
            self.fits = self.fits and len(counts) == 1
            for k in range(min(counts)):
                self.records.append([None if records is None else records[k] for records in made])
        begins.append(len(self.records))
        self.groups = {}
        if self.fits:
            for first, slots, times in chain.groups:
                rows = begins[first + slots] - begins[first]
                if self._are_alike(begins[first], rows, times, storage):
                    self.groups[begins[first]] = rows, times
        steps = len(self.records) - sum(rows * (times - 1) for rows, times in self.groups.values())
        self.fits = self.fits and steps <= MOST_STEPS and all(map(_alike, self.records))

    def block_bytes(self):
        """Bytes for the record that runs."""
        return block_bytes([4 * len(r.words) + len(r.table) for r in map(first_of, self.records)])

    def scratch(self):
        """Numbers of scratch buffers that may be one: a list of lists."""
        shared = []
        for rows in self.steps():
            for k in range(1, first_of(rows[0]).operands + 1):
                words = [r.words[k] for row in rows for r in row if r is not None]
                if words[0] & 3 == PLANNED_SCRATCH:
                    shared.append(sorted({word >> 2 for word in words}))
        return shared

    def steps(self):
        """The slots of each step, one for each group of channels: lists of rows."""
        at = 0
        while at < len(self.records):
            rows, times = self.groups.get(at, (1, 1))
            for k in range(at, at + rows):
                yield [self.records[k + rows * group] for group in range(times)]
            at += rows * times

    def parts(self):
        """How many steps come how often, in their order."""
        found, at = [], 0
        while at < len(self.records):
            rows, times = self.groups.get(at, (1, 1))
            if times == 1 and found and found[-1][1] == 1:
                found[-1] = found[-1][0] + 1, 1
            else:
                found.append((rows, times))
            at += rows * times
        return found

    def join_constants(self, storage):
        """Put what groups of channels have of weights and biases one behind the other."""
        for rows in self.steps():
            for k in range(1, first_of(rows[0]).operands + 1):
                words = [first_of(row).words[k] for row in rows]
                if words[0] & 3 == IN_ROM and len(set(words)) > 1:
                    begin, size = storage.join_constants(words)
                    for group, row in enumerate(rows):
                        for record in filter(None, row):
                            record.words[k] = begin + (group * size << 2)

    # True where `times` times `rows` slots do the same with other weights, biases and tables.
    def _are_alike(self, first, rows, times, storage):
        for k in range(first, first + rows):
            if not _are_groups([self.records[k + rows * g] for g in range(times)], storage):
                return False
        return times <= 255


# The first record of a slot.
def first_of(row):
    return next(record for record in row if record is not None)


# True when records call the same kernel with the same constants, and are as long, and what differs
# can be told.
def _alike(row):
    first = first_of(row)
    for record in row:
        if record is None:
            continue
        if _form(record) != _form(first):
            return False
        for k in range(1, first.operands + 1):
            mine, other = record.words[k], first.words[k]
            if mine & 3 != other & 3 or (mine & 3 == IN_ROM and mine != other):
                return False
        if record.words[0] not in FITS:
            return False
        if numbers_of(record)[WORDS:] != numbers_of(first)[WORDS:]:
            return False
    return True


# What records of a slot have in common.
def _form(record):
    return record.kernel, record.operands, len(record.words), len(record.table)


# True for rows of records that differ in what constants they name, in numbers that grow by as much
# with each group, and in their tables, which bands leave as they are.
def _are_groups(rows, storage):
    first = first_of(rows[0])
    if first.operands > _MOST_OPERANDS or not all(map(_alike, rows)):
        return False
    second = first_of(rows[1])
    more = [b - a for a, b in zip(first.words, second.words, strict=True)]
    for group, row in enumerate(rows):
        pairs = list(zip(row, rows[0], strict=True))
        if any((mine is None) != (other is None) for mine, other in pairs):
            return False
        pairs = [(mine, other) for mine, other in pairs if mine is not None]
        tables = {(mine.table, other.table) for mine, other in pairs}
        if len(tables) > 1 and any(mine != other for mine, other in tables):
            return False
        for mine, other in pairs:
            if _form(mine) != _form(other) or not _differ_by(more, mine, other, group):
                return False
    return all(_may_be_joined(rows, k, storage) for k in range(1, first.operands + 1))


# True where numbers of a record are so much more, times its group, than those of the first group.
def _differ_by(more, mine, other, group):
    for i, (word, base) in enumerate(zip(mine.words, other.words, strict=True)):
        if 0 < i <= other.operands:
            if word & 3 != base & 3 or base & 3 == IN_TAIL:
                return False
        elif more[i] & 1 or word - base != group * more[i]:
            return False
    return True


# True where operand `k` names constants that are as long in each group, or none.
def _may_be_joined(rows, k, storage):
    words = [first_of(row).words[k] for row in rows]
    if words[0] & 3 != IN_ROM or len(set(words)) == 1:
        return True
    if NO_OPERAND in words:
        return False
    sizes = {storage.constant_bytes(word) for word in words}
    return len(sizes) == 1 and not sizes.pop() % 4
