# tflm_tools: writes the operator that runs a chain band by band, with one record for each step
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter
from operator import add, sub

from tflm.format import BANDS_KERNEL as KERNEL
from tflm.tflite.context import IN_ROM, PLANNED_SCRATCH

from .banded_records import first_record
from .record_deltas import all_words, band_table, deltas_of, signed
from .rom_record import FULL_WORDS, SHARED_TAIL, RomRecord

# Words of its record. block: the buffer in the arena that holds the record that runs, `words`
# long; steps: the number of the list of steps. A table follows (record_deltas.py): the first list
# of deltas is applied once for each band, counted from the middle band, or, if the lowest bit of a
# delta is set, once for each channel group; then there is a list for each band.
BAND_LAYOUT = ("block", "steps", "words")

# A record of a step has the words that most bands have. Its field `slice_units` holds:
# - bits 0 to 6: `packed_words`, see RomRecord;
# - bit 7: SHARED_TAIL. An operator that is recomputed (optimize/memory/rewrites/recompute.py) has
#   the same multipliers as the first computation, and refers to their words;
# - bits 8 and up: the number of all words, as a kernel reads them.
_MIN_SHARED_TAIL_BYTES = 32  # a smaller one is not worth the word that refers to it
_MAX_PACKED_WORDS = 127
_WORD_COUNT_SHIFT = 8

_PERIODS = (1, 2, 3, 4, 6, 8)  # bands after which strides lead to the same offsets again
_WORD_MASK = 0xFFFFFFFF


def roll(storage, banded, buffer):
    """Replace a BandedRecords' records by one record for each step, in a separate list of steps.

    storage: a RomStorage whose arena is planned. buffer: number of the scratch buffer that holds
    the record that runs. Returns the records of the steps.
    """
    templates, growth, band_deltas = [], [], [[] for _ in range(banded.bands)]
    for number, slots in enumerate(banded.steps()):
        step = _Step(storage, slots, number)
        growth += step.growth
        for deltas, more in zip(band_deltas, step.deltas, strict=True):
            deltas += more
        templates.append(step.template(storage.step_lists))
    buffer_word, words = buffer << 2 | PLANNED_SCRATCH, banded.buffer_bytes() // 4
    control = RomRecord(
        0,
        banded.nodes[0],
        KERNEL,
        [banded.bands, buffer_word, storage.step_lists, words],
        1,
        1,
        band_table(1 + len(BAND_LAYOUT), banded.sections(), [growth, *band_deltas]),
    )
    control.ordered = True
    storage.step_lists += 1
    replaced = {id(record) for slot in banded.slots for record in slot}
    start = next(i for i, record in enumerate(storage.records) if id(record) in replaced)
    before = storage.records[:start]
    after = [record for record in storage.records[start:] if id(record) not in replaced]
    storage.records = [*before, control, *after, *templates]
    return templates


def share_tails(templates):
    """Store tails that several records have in common once, with the first of these records.

    templates: the records of all chains, in the order of their lists.
    """
    first_with = {}
    for record in templates:
        tail = record.tail_bytes() or b""
        if len(tail) < _MIN_SHARED_TAIL_BYTES:
            continue
        first = first_with.setdefault(tail, record)
        if first is not record:
            record.shared_tail, record.tail = first, b""
            record.slice_units |= SHARED_TAIL


class _Step:
    """One step of a banded chain: the most frequent value of each word, and deltas to the others.

    slots: its records by band, one slot for each channel group.
    growth: deltas for each band and group; deltas[b]: further deltas in band b.

    1. Find for each word whether it grows linearly with the band (an offset in a whole tensor
       does), and its most frequent value without that growth.
    2. Note a delta for each band whose value differs.
    3. Find how many words are small enough to be packed.
    4. Find by how much words before the tail grow from group to group; tails are stored.
    """

    def __init__(self, storage, slots, number):
        self._slot = slots[0]
        self._first = first_record(self._slot)
        groups = [[r and _final_words(storage, r) for r in slot] for slot in slots]
        self.growth, self.deltas = [], [[] for _ in self._slot]
        self._words = []
        self._sources = []  # for each word a record that has its most frequent value
        self._resolved = {}  # operand words that hold an offset in the arena
        word_count = len(next(filter(None, groups[0])))
        for i in range(word_count):
            self._add_word(i, groups[0], number, storage.head_bytes)
        self._packed_words = self._end_of_packed_words()
        self._add_groups(groups, number)
        self.growth.sort()

    # Steps 1 and 2 for word i. band_words: the words of each band's record, or None.
    def _add_word(self, i, band_words, number, head_bytes):
        values = [words and words[i] for words in band_words]
        if i == 0:
            values = [value or 0 for value in values]  # no units where nothing runs
        slope = _slope(values) if 1 <= i <= self._first.operands else 0
        bases, usual = _without_slope(values, slope)
        if not usual and i == 0:  # records in the file have units
            usual = Counter(filter(None, values)).most_common(1)[0][0]
        if slope and not 0 <= usual >> 2 <= head_bytes:
            slope = 0
            bases, usual = _without_slope(values, slope)
        if slope:
            self.growth += deltas_of(number, i, slope)
        if slope or i == 0:
            self._resolved[i] = usual
        self._words.append(usual)
        self._sources.append(self._slot[bases.index(usual)] or self._first)
        for band, base in enumerate(bases):
            if base not in (None, usual):
                self.deltas[band] += deltas_of(number, i, base - usual)

    # Step 3: packed words fit a halfword, and come in pairs.
    def _end_of_packed_words(self):
        end = FULL_WORDS
        if self._first.operands >= FULL_WORDS:
            return end
        while end + 2 <= min(len(self._words), _MAX_PACKED_WORDS):
            if not all(
                -(1 << 15) <= signed(word) < 1 << 15 for word in self._words[end : end + 2]
            ):
                break
            end += 2
        return end

    # Step 4.
    def _add_groups(self, groups, number):
        first_group, tail_start = groups[0], self._packed_words
        band = next(i for i, words in enumerate(first_group) if words)
        differences = [list(map(sub, words[band], first_group[band])) for words in groups]
        self._tails = [each[tail_start:] for each in differences]
        last = differences[-1][:tail_start]
        growth = [difference // (len(groups) - 1 or 1) for difference in last]
        for group, band_words in enumerate(groups):
            expected = [group * value for value in growth] + self._tails[group]
            for words, base in zip(band_words, first_group, strict=True):
                assert words is None or list(map(sub, words, base)) == expected
        for i, value in enumerate(growth):
            self.growth += deltas_of(number, i, value, True)

    def template(self, step_list):
        """Return the record of the step in the file, for the list of steps with this number."""
        first, count = self._first, len(self._first.words)
        words = [self._resolved.get(i, r.words[i]) for i, r in enumerate(self._sources[:count])]
        word_count = max(FULL_WORDS, len(self._words))
        header = self._packed_words | word_count << _WORD_COUNT_SHIFT
        table = _packed(self._words[count:])
        template = RomRecord(
            step_list, first.node, first.kernel, words, first.operands, header, table
        )
        template.ordered = True
        template.resolved = self._resolved
        template.packed_words = self._packed_words
        for difference in self._tails[1:]:
            template.tail += _packed(map(add, self._words[self._packed_words :], difference))
        return template


def _packed(words):
    return b"".join(struct.pack("<I", word & _WORD_MASK) for word in words)


# By how much an operand word grows from band to band, if that leaves fewer different values;
# else 0. values: the word in each band, None where nothing runs.
def _slope(values):
    by_band = {band: value for band, value in enumerate(values) if value is not None}
    if len(set(by_band.values())) == 1:
        return 0
    slopes = {0}
    for period in _PERIODS:
        steps = [by_band[b + period] - by_band[b] for b in by_band if b + period in by_band]
        steps = Counter(step // period for step in steps if step % (4 * period) == 0)
        slopes.update(step for step, _ in steps.most_common(2))

    def value_count(slope):
        return len({value - slope * band for band, value in by_band.items()})

    return min(slopes, key=lambda slope: (value_count(slope), slope != 0, abs(slope), slope))


# (the values without their growth, which is counted from the middle band; the most frequent one).
def _without_slope(values, slope):
    middle = len(values) // 2
    bases = [v if v is None else v - slope * (b - middle) for b, v in enumerate(values)]
    return bases, Counter(base for base in bases if base is not None).most_common(1)[0][0]


# The words of a record and its table as the file will have them; offsets of constants are counted
# from the first constant.
def _final_words(storage, record):
    words = all_words(record)
    for k in range(1, record.operands + 1):
        if words[k] & 3 != IN_ROM:
            words[k] = storage.operand_word(words[k], 0)
    return words
