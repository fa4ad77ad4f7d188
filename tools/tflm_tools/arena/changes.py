# tflm_tools: what changes in the records of a chain from band to band, and from group to group
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from itertools import accumulate

# A change is a word: the number of a step, of a word of its record, and what is added to it. Where
# that is more, there are several for a word, but for its units, which the run looks at before.
WORDS = 128  # those of a record that may change
FITS = range(1 << 16)  # units
END = 0x7FFFFFFF
_STEP, _WORD = 24, 17  # the lowest bits of their numbers
_LEAST = -(1 << _WORD - 1)
_MOST = (1 << _WORD - 1) - 4  # by steps of 4, as places are
_PART = 256
_MASK = 0xFFFFFFFF


def numbers_of(record):
    """The words of a record and of its table."""
    return list(record.words) + list(struct.unpack(f"<{len(record.table) // 4}I", record.table))


def signed(value):
    """A word as int32."""
    value &= _MASK
    return value - (1 << 32) if value >> 31 else value


def changes_of(step, word, value, of_group=False):
    """The changes that add `value` to a word; of_group: for each group of channels."""
    value, found = signed(value), []
    while value:
        part = max(_LEAST, min(value, _MOST))
        value -= part
        found.append(step << _STEP | word << _WORD | (part | of_group) - _LEAST)
    return found


def table_of(words, parts, lists):
    """The table of a record of so many words, which tells of parts and of lists of changes.

    Halfwords: at which bytes of the record the parts are and each list begins; then the lists,
    each with an END: what several bands need is there once, at the end of a longer list where that
    is the same; then the parts, a word each, with the first step behind it and how often its steps
    come, and a 0 behind them.
    """
    at = words + (len(lists) + 2) // 2
    known, flat = {}, []
    for found in sorted(map(tuple, lists), key=len, reverse=True):
        if found in known:
            continue
        for k in range(len(found) + 1):
            known.setdefault(found[k:], at + len(flat) + k)
        flat += [*found, END]
    starts = [at + len(flat), *(known[tuple(found)] for found in lists)]
    starts += [0] * (len(starts) & 1)
    behind = accumulate(steps for steps, _ in parts)
    flat += [
        (step << _STEP) - _PART + times for step, (_, times) in zip(behind, parts, strict=True)
    ]
    flat.append(0)
    starts = [4 * start for start in starts]
    return struct.pack(f"<{len(starts)}H{len(flat)}I", *starts, *flat)
