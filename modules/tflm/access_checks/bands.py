# tflm: access checks: the records of a chain in each band (run/bands.py)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import format as layout
from ..dtypes import const
from .record import LARGEST, Record

_END = const(0x7FFFFFFF)  # ends a list of changes
_WHOLE = const(7)  # words of a record before the words that are stored as halfwords
_HALVES = const(127)  # mask: number of words up to the last halfword
_APART = const(128)  # flag: the words of the groups are shared with a previous record


# Return where lists of changes may begin, or None if the numbers are invalid. A number is a step,
# a word in its record, in ascending order, and the value that is added; _END ends a list.
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


# Return the changes of a list by step: {step: [(word, value that is added)]}.
def _by_step(numbers, at):
    found = {}
    while numbers[at] != _END:
        number = numbers[at]
        change = number >> 17 & 127, (number & 0x1FFFF) - 0x10000
        found.setdefault(number >> 24, []).append(change)
        at += 1
    return found


# Return (words shared by all groups, words of the groups, words per group) of a record of a chain
# before changes, or None if the record exceeds the file.
def _whole(model, i, groups):
    _, _, _, _, packed, start, size = model.entry(layout.OPS, layout.OP, layout.OP_BYTES, i)
    halves, words = packed & _HALVES, packed >> 8
    pairs = (halves - _WHOLE) // 2
    if size & 3 or halves & 1 == 0 or pairs < 0 or words < halves:
        return None
    front = begin = start + 4 * (_WHOLE + pairs)
    if packed & _APART:
        if size != front + 4 - start:
            return None
        begin -= 4 * struct.unpack_from("<I", model.buffer, front)[0]
    elif words != max(_WHOLE, size // 4 + pairs):
        return None
    own = words - halves
    end = begin + 4 * own * groups
    if begin < 0 or max(front, end) > len(model.buffer):
        return None
    shared = bytearray(model.buffer[start : start + 4 * _WHOLE])
    for value in struct.unpack_from("<%dH" % (2 * pairs), model.buffer, start + 4 * _WHOLE):
        shared += struct.pack("<i", value - 0x8000)
    return shared, model.buffer[begin:end], own


# Return how often each of `count` steps runs, from the numbers that begin at `at`, or None if they
# are not about `count` steps.
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
    """A step of a chain: its record in each band and group, assembled as the run does it.

    times: how often it runs; grown: what changes with each band or group.
    """

    def __init__(self, model, i, times, grown):
        self.i, self.times, self._grown = i, times, grown
        self.kernel, _, _, _, self._operands, _ = model.op(i)
        words = _whole(model, i, times)
        self._known = None
        self.words = 0
        if words is not None:
            self._shared, self._own, own = words
            self._own_bytes = 4 * own
            self.words = len(self._shared) // 4 + own
        self.may_run = (
            not self.kernel.startswith(layout.CUSTOM_KERNEL)
            and (
                not self.kernel.startswith(layout.CONTROL_KERNEL)
                or self.kernel == layout.ROWS_KERNEL
            )
            and all([0 < word < self.words for word, _ in grown])
        )

    # Whether the changes of a band are inside the record and give a valid number of units.
    def fits(self, changed):
        units = [value for word, value in changed if word == 0]
        count = struct.unpack_from("<I", self._shared)[0] + sum(units)
        inside = all([word < self.words for word, _ in changed])
        return inside and len(units) < 2 and 0 <= count < LARGEST

    # Yield the records in a band, `moved` bands after the middle one, unless they equal the last
    # ones.
    def records(self, model, changed, moved, locked):
        if all([value & 1 for _, value in self._grown]):
            moved = 0
        if self._known == (changed, moved):
            return
        self._known = changed, moved
        for group in range(self.times):
            data = bytearray(self._shared)
            data += self._own[self._own_bytes * group : self._own_bytes * (group + 1)]
            for word, value in changed:
                _add(data, word, value)
            for word, value in self._grown:
                _add(data, word, (value - 1) * group if value & 1 else value * moved)
            record = Record(model, data, self._operands)
            record.locked = locked
            if record.units:
                yield self.i, self.kernel, record


# Add to a word of a record as the run does.
def _add(record, word, value):
    value += struct.unpack_from("<I", record, 4 * word)[0]
    struct.pack_into("<I", record, 4 * word, value & 0xFFFFFFFF)


# Read the table of a record of bands about `count` steps. Return (how often each step runs,
# changes with each band or group by step, where the changes of each band begin), or None if it is
# invalid.
def _table(data, numbers, count):
    bands = numbers[0]
    times_at, *starts = struct.unpack_from("<%dH" % (bands + 2), data, 16)
    at = 4 + (bands + 3) // 2
    if times_at & 3 or not at < times_at >> 2 < len(numbers):
        return None
    times, lists = _times(numbers, times_at >> 2, count), _lists(numbers, at, times_at >> 2)
    if times is None or lists is None:
        return None
    if any([start & 3 or start >> 2 not in lists for start in starts]):
        return None
    growth, *starts = [start >> 2 for start in starts]
    return times, _by_step(numbers, growth), starts


# Yield (number, kernel, Record) for the different records of a chain, a list of steps from op
# `first` on, which the record `data` of op `control` changes from band to band. No record may
# write to the memory where these records are stored meanwhile. Calls `refuse` with op and kernel
# if something is wrong.
def made_records(model, first, count, control, data, refuse):
    numbers = struct.unpack_from("<%dI" % (len(data) // 4), data, 0)
    bands, block, _, words = numbers[:4]
    locked = block >> 2, (block >> 2) + 4 * words
    if block & 15 or locked[1] > model.head_bytes or not 0 < bands < 2 * len(numbers) - 9:
        refuse(control, layout.BANDS_KERNEL)
    table = _table(data, numbers, count)
    if table is None:
        refuse(control, layout.BANDS_KERNEL)
    times, growth, starts = table
    steps = [_Step(model, first + i, times[i], growth.get(i, ())) for i in range(count)]
    for step in steps:
        if not step.may_run or not 0 < step.words <= words:
            refuse(step.i, step.kernel)
    for band in range(bands):
        changes = _by_step(numbers, starts[band])
        for step in steps:
            changed = changes.get(step.i - first, ())
            if not step.fits(changed):
                refuse(step.i, step.kernel)
            yield from step.records(model, changed, band - bands // 2, locked)
