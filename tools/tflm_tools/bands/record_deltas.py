# tflm_tools: encodes how the records of a banded chain change from band to band as lists of deltas
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from itertools import accumulate

# A delta is a word: the number of a step (bits 24 to 30), the number of a word of the step's
# record (bits 17 to 23), and a biased value that is added to the record's word. A larger value
# takes several deltas, except for word 0 (the units), which the board reads before the others.
MAX_CHANGING_WORDS = 128  # words of a record that deltas can name
UNIT_RANGE = range(1 << 16)
END = 0x7FFFFFFF  # ends a list of deltas
_STEP_SHIFT, _WORD_SHIFT = 24, 17
_MIN_VALUE = -(1 << _WORD_SHIFT - 1)
_MAX_VALUE = (1 << _WORD_SHIFT - 1) - 4  # keeps offsets multiples of 4
_SECTION_BIAS = 256  # leaves the lowest eight bits of a section for its repeats
_WORD_MASK = 0xFFFFFFFF


def all_words(record):
    """Return the words of a record followed by the words of its table."""
    table = struct.unpack(f"<{len(record.table) // 4}I", record.table)
    return list(record.words) + list(table)


def signed(word):
    """Return a word as int32."""
    word &= _WORD_MASK
    return word - (1 << 32) if word >> 31 else word


def deltas_of(step, word, value, per_group=False):
    """Return the deltas that add `value` to a word of a step's record.

    per_group: the value is added once for each channel group that has run, not for each band.
    """
    value, deltas = signed(value), []
    while value:
        increment = max(_MIN_VALUE, min(value, _MAX_VALUE))
        value -= increment
        deltas.append(
            step << _STEP_SHIFT | word << _WORD_SHIFT | (increment | per_group) - _MIN_VALUE
        )
    return deltas


def band_table(record_words, sections, delta_lists):
    """Return the table (bytes) of the record of a band operator, which has `record_words` words.

    sections: [(steps, repeats)] of consecutive steps; delta_lists: lists of deltas.

    The table consists of:
    1. halfwords: the byte offset in the record of the sections, then of each list of deltas;
    2. the lists of deltas, each followed by END. A list that equals the end of a longer list is
       stored once, as that end;
    3. the sections, a word each: the first step after the section, and its repeats; then a 0.
    """
    first_list = record_words + (len(delta_lists) + 2) // 2
    position_of, words = {}, []
    for deltas in sorted(map(tuple, delta_lists), key=len, reverse=True):
        if deltas in position_of:
            continue
        for k in range(len(deltas) + 1):
            position_of.setdefault(deltas[k:], first_list + len(words) + k)
        words += [*deltas, END]
    positions = [first_list + len(words), *(position_of[tuple(d)] for d in delta_lists)]
    positions += [0] * (len(positions) & 1)
    ends = accumulate(steps for steps, _ in sections)
    words += [
        (end << _STEP_SHIFT) - _SECTION_BIAS + repeats
        for end, (_, repeats) in zip(ends, sections, strict=True)
    ]
    words.append(0)
    offsets = [4 * position for position in positions]
    return struct.pack(f"<{len(offsets)}H{len(words)}I", *offsets, *words)
