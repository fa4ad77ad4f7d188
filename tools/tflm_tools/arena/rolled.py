# tflm_tools: the op that runs a chain in bands, and the records that it has once for all of them
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from collections import Counter
from operator import add, sub

from tflm.format import CONTROL_KERNEL
from tflm.tflite.context import IN_ROM, PLANNED_SCRATCH

from .changes import changes_of, numbers_of, signed, table_of
from .loops import first_of
from .records import APART, WHOLE, RomRecord

KERNEL = CONTROL_KERNEL + "banded"

# Operand `block`: where the record that runs lies, in `words` words. `steps`: the number of the
# records' list. Behind it a table, see changes.py: of its lists the first one says what words grow
# by in each band, counted from the one in the middle, or, where the lowest bit is set, in each
# group of channels; then there is one for each band.
BANDS = ("block", "steps", "words")

# In a record of the chain words from the first WHOLE on may lie two in one: low half, high half.
# What is `a slice` of other ops tells where these end, and all words: those behind them are there
# for each group of channels, one group behind the other. Where an operator runs in two passes
# (optimize/memory/second_pass.py) these are multipliers that the record of the first one has, too:
# with APART a word says how far before it they begin.
_LEAST_APART = 32  # bytes of these that are worth that word, and the time to look at it
_MOST_HALVES = 127  # words; those that may change
_WORDS_SHIFT = 8

_TURNS = (1, 2, 3, 4, 6, 8)  # bands after which those behind strides come again
_MASK = 0xFFFFFFFF


def roll(storage, loop, block):
    """Replace the records of a Loop by one for each step, in a list of steps of their own.

    The plan must be made; `block` is the number of the scratch buffer for the record that runs.
    Returns the records of the steps.
    """
    templates, growth, changes = [], [], [[] for _ in range(loop.bands)]
    for number, rows in enumerate(loop.steps()):
        step = _Step(storage, rows, number)
        growth += step.growth
        for found, more in zip(changes, step.changes, strict=True):
            found += more
        templates.append(step.template(storage.step_lists))
    control = RomRecord(
        0,
        loop.nodes[0],
        KERNEL,
        [loop.bands, block << 2 | PLANNED_SCRATCH, storage.step_lists, loop.block_bytes() // 4],
        1,
        1,
        table_of(1 + len(BANDS), loop.parts(), [growth, *changes]),
    )
    control.ordered = True
    storage.step_lists += 1
    gone = {id(record) for row in loop.records for record in row}
    start = next(i for i, record in enumerate(storage.records) if id(record) in gone)
    before = storage.records[:start]
    behind = [record for record in storage.records[start:] if id(record) not in gone]
    storage.records = [*before, control, *behind, *templates]
    return templates


def share_words(templates):
    """Let what several of these records have behind their halves be in the file once.

    templates: of all chains, in the order of their lists.
    """
    known = {}
    for record in templates:
        own = record.own() or b""
        if len(own) >= _LEAST_APART and known.setdefault(own, record) is not record:
            record.apart, record.behind = known[own], b""
            record.slice_units |= APART


class _Step:
    """What a step of a chain does: its words as they mostly are, and what is added to them.

    rows: its records, those of the first group of channels first. growth, changes: as in roll().
    """

    def __init__(self, storage, rows, number):
        self._row = row = rows[0]
        self._first = first = first_of(row)
        groups = [[r and _placed(storage, r) for r in each] for each in rows]
        made = groups[0]
        band = next(i for i, words in enumerate(made) if words)
        self.growth, self.changes = [], [[] for _ in made]
        self._words, self._common = [], []
        self._named = {}  # words that name a place already, and no buffer
        for i in range(len(made[band])):
            values = [words and words[i] for words in made]
            if i == 0:
                values = [value or 0 for value in values]  # no units where it does not run
            slope = _slope(values) if 1 <= i <= first.operands else 0
            bases, usual = _bases(values, slope)
            if not usual and i == 0:  # in the model each record has units, as any other
                usual = Counter(filter(None, values)).most_common(1)[0][0]
            if slope and not 0 <= usual >> 2 <= storage.head_bytes:
                slope = 0
                bases, usual = _bases(values, slope)
            if slope:
                self.growth += changes_of(number, i, slope)
            if slope or i == 0:
                self._named[i] = usual
            self._words.append(usual)
            self._common.append(row[bases.index(usual)] or first)
            for k, base in enumerate(bases):
                if base not in (None, usual):
                    self.changes[k] += changes_of(number, i, base - usual)
        self._halves = self._end_of_halves()
        more = [[b - a for a, b in zip(made[band], each[band], strict=True)] for each in groups]
        self._tables = [each[self._halves :] for each in more]
        grown = [last // (len(more) - 1 or 1) for last in more[-1][: self._halves]]
        for group, each in enumerate(groups):
            wanted = [group * value for value in grown] + self._tables[group]
            for words, base in zip(each, made, strict=True):
                assert words is None or list(map(sub, words, base)) == wanted
        for i, value in enumerate(grown):
            self.growth += changes_of(number, i, value, True)
        self.growth.sort()

    # Where the words end that are short enough to lie two in one.
    def _end_of_halves(self):
        end = WHOLE
        if self._first.operands >= WHOLE:
            return end
        while end + 2 <= min(len(self._words), _MOST_HALVES):
            if not all(
                -(1 << 15) <= signed(word) < 1 << 15 for word in self._words[end : end + 2]
            ):
                break
            end += 2
        return end

    def template(self, step_list):
        """The record of the step in the model: each word is that of one of its records."""
        first, count = self._first, len(self._first.words)
        words = [self._named.get(i, r.words[i]) for i, r in enumerate(self._common[:count])]
        form = self._halves | max(WHOLE, len(self._words)) << _WORDS_SHIFT
        table = _words(self._words[count:])
        template = RomRecord(
            step_list, first.node, first.kernel, words, first.operands, form, table
        )
        template.ordered = True
        template.placed = self._named
        template.halves = self._halves
        for more in self._tables[1:]:
            template.behind += _words(map(add, self._words[self._halves :], more))
        return template


# Packed.
def _words(words):
    return b"".join(struct.pack("<I", word & _MASK) for word in words)


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


# The words of a record and its table as they will be in the file, places of constants counted from
# the first one.
def _placed(storage, record):
    words = numbers_of(record)
    for k in range(1, record.operands + 1):
        if words[k] & 3 != IN_ROM:
            words[k] = storage.operand_word(words[k], 0)
    return words
