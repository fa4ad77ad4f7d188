# tflm: extents: records of a chain in bands (run/bands.py), as each band finds them
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import format as layout
from ..dtypes import const
from .record import LARGEST, Record

BANDS_KERNEL = layout.CONTROL_KERNEL + "banded"

_END = const(0x7FFFFFFF)  # behind the last change of a list
_WHOLE = const(7)  # words of a record before those that lie two in one
_HALVES = const(127)  # of its form: where these end
_APART = const(128)  # the words behind them are those of a record before it


# Where lists of changes may begin, and where what is behind them does: words of a step and of a
# word in its record, in ascending order, and what is added, until an _END.
def _lists(numbers, at, stop):
    found = set()
    last = 0
    while at < stop:
        found.add(at)
        number = numbers[at]
        if number > _END or number >> 17 < last >> 17:
            return None
        last = 0 if number == _END else number
        at += 1
    return found if not last and numbers[stop - 1] == _END else None


# The changes of a list, by step: {step: [(word, what is added)]}.
def _by_step(numbers, at):
    found = {}
    while numbers[at] != _END:
        number = numbers[at]
        change = number >> 17 & 127, (number & 0x1FFFF) - 0x10000
        found.setdefault(number >> 24, []).append(change)
        at += 1
    return found


# A record of a chain as it is copied, but for changes: the words before those of a group, and all
# of these, so many for each group; None where it reaches out of the file.
def _whole(model, i, groups):
    _, _, _, _, form, start, size = model.entry(layout.OPS, layout.OP, layout.OP_BYTES, i)
    halves, words = form & _HALVES, form >> 8
    pairs = (halves - _WHOLE) // 2
    if size & 3 or halves & 1 == 0 or pairs < 0 or words < halves:
        return None
    front = begin = start + 4 * (_WHOLE + pairs)
    if form & _APART:
        if size != front + 4 - start:
            return None
        begin -= 4 * struct.unpack_from("<I", model.buffer, front)[0]
    elif words != max(_WHOLE, size // 4 + pairs):
        return None
    own = words - halves
    behind = begin + 4 * own * groups
    if begin < 0 or max(front, behind) > len(model.buffer):
        return None
    made = bytearray(model.buffer[start : start + 4 * _WHOLE])
    for value in struct.unpack_from("<%dH" % (2 * pairs), model.buffer, start + 4 * _WHOLE):
        made += struct.pack("<i", value - 0x8000)
    return made, model.buffer[begin:behind], own


# How often each of `count` steps comes, by the parts of a chain, which begin at number `at`; None
# where these are other steps.
def _times(numbers, at, count):
    found = []
    for number in numbers[at:]:
        if not number:
            return found if len(found) == count < 128 else None
        more = (number + 256 >> 24) - len(found)
        if number & 0xFFFF00 != 0xFFFF00 or not number & 255 or not 0 < more < 128:
            return None
        found += [number & 255] * more
    return None


class _Step:
    """A step of a chain: its record in each band and group, as the run puts it together.

    times: how often it comes; grown: what changes with each band or group.
    """

    def __init__(self, model, i, times, grown):
        self.i, self.times, self._grown = i, times, grown
        self.kernel, _, _, _, self._operands, _ = model.op(i)
        made = _whole(model, i, times)
        self._known = None
        self.words = 0
        if made is not None:
            self._most, self._own, own = made
            self._own_bytes = 4 * own
            self.words = len(self._most) // 4 + own
        self.may_run = (
            not self.kernel.startswith(layout.CUSTOM_KERNEL)
            and (
                not self.kernel.startswith(layout.CONTROL_KERNEL)
                or self.kernel == layout.ROWS_KERNEL
            )
            and all([0 < word < self.words for word, _ in grown])
        )

    # True where what a band changes lies in the record, and comes to units.
    def takes(self, changed):
        units = [value for word, value in changed if word == 0]
        count = struct.unpack_from("<I", self._most)[0] + sum(units)
        inside = all([word < self.words for word, _ in changed])
        return inside and len(units) < 2 and 0 <= count < LARGEST

    # Its records in a band, so many from the middle one on, where they are not those of the last.
    def records(self, model, changed, moved, place):
        if all([value & 1 for _, value in self._grown]):
            moved = 0
        if self._known == (changed, moved):
            return
        self._known = changed, moved
        for group in range(self.times):
            data = bytearray(self._most)
            data += self._own[self._own_bytes * group : self._own_bytes * (group + 1)]
            for word, value in changed:
                _add(data, word, value)
            for word, value in self._grown:
                _add(data, word, (value - 1) * group if value & 1 else value * moved)
            record = Record(model, data, self._operands)
            record.locked = place
            if record.units:
                yield self.i, self.kernel, record


# Add to a word of a record, as the run does.
def _add(record, word, value):
    value += struct.unpack_from("<I", record, 4 * word)[0]
    struct.pack_into("<I", record, 4 * word, value & 0xFFFFFFFF)


# What the table of a record of bands tells of so many steps: how often each of them comes, what
# changes with each band or group, by step, and where the changes of each band begin. None where it
# is no such table.
def _table(data, numbers, count):
    bands = numbers[0]
    parts, *starts = struct.unpack_from("<%dH" % (bands + 2), data, 16)
    at = 4 + (bands + 3) // 2
    if parts & 3 or not at < parts >> 2 < len(numbers):
        return None
    times, lists = _times(numbers, parts >> 2, count), _lists(numbers, at, parts >> 2)
    if times is None or lists is None:
        return None
    if any([start & 3 or start >> 2 not in lists for start in starts]):
        return None
    growth, *starts = [start >> 2 for start in starts]
    return times, _by_step(numbers, growth), starts


# The different records of a chain, a list of steps from op `first` on, which the record `data` of
# op `control` changes from band to band: (number, kernel, Record) of each. None of them may write
# where these records lie meanwhile. Calls `refuse` with op and kernel where something is wrong.
def made_records(model, first, count, control, data, refuse):
    numbers = struct.unpack_from("<%dI" % (len(data) // 4), data, 0)
    bands, block, _, words = numbers[:4]
    place = block >> 2, (block >> 2) + 4 * words
    if block & 15 or place[1] > model.head_bytes or not 0 < bands < 2 * len(numbers) - 9:
        refuse(control, BANDS_KERNEL)
    table = _table(data, numbers, count)
    if table is None:
        refuse(control, BANDS_KERNEL)
    times, growth, starts = table
    steps = [_Step(model, first + i, times[i], growth.get(i, ())) for i in range(count)]
    for step in steps:
        if not step.may_run or not 0 < step.words <= words:
            refuse(step.i, step.kernel)
    for band in range(bands):
        changes = _by_step(numbers, starts[band])
        for step in steps:
            changed = changes.get(step.i - first, ())
            if not step.takes(changed):
                refuse(step.i, step.kernel)
            yield from step.records(model, changed, band - bands // 2, place)
