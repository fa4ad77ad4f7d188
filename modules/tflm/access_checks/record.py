# tflm: extents: Record: the words of a record, and the memory that its operands have
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import format as layout
from ..dtypes import const

# Numbers and products that kernels handle in 32-bit words stay below this.
LARGEST = 1 << 30

# Words of a REQUANTIZE block (prepare/common.py), from its first.
_TO_ACTIVATION_MIN = const(1)
_TO_ACTIVATION_MAX = const(2)
_TO_PER_CHANNEL = const(3)
_TO_CHANNELS = const(4)

_MANY = const(64)  # multipliers that are looked at together


class Record:
    """The record of an op of a FlatModel; ValueError when something does not fit."""

    def __init__(self, model, data, operands):
        self.model = model
        self._data = data
        self._operands = operands
        self.words = len(data) // 4
        self.units = self[0]
        self.locked = None  # bytes of the arena that must not be written
        self.extents = {}  # operand: the bytes of the arena or the model that it covers
        self.written = set()  # operands that are written

    # Word `i`, unsigned.
    def __getitem__(self, i):
        self.need(0 <= i < self.words)
        return struct.unpack_from("<I", self._data, 4 * i)[0]

    # Word `i` as int32.
    def signed(self, i):
        value = self[i]
        return value - (1 << 32) if value >> 31 else value

    # `count` words from `first` on that are lengths: each at least `low`.
    def numbers(self, first, count, low=1):
        self.need(first + count <= self.words)
        values = struct.unpack_from("<%dI" % count, self._data, 4 * first)
        self.need(min(values) >= low and max(values) < LARGEST)
        return values

    # `count` 16-bit numbers from a halfword of the record on.
    def halfwords(self, first, count):
        self.need(first >= 0 and 2 * (first + count) <= 4 * self.words)
        return struct.unpack_from("<%dH" % count, self._data, 2 * first)

    # `count` words from `first` on, as bytes.
    def table(self, first, count):
        self.need(first + count <= self.words)
        return bytes(self._data[4 * first : 4 * (first + count)])

    def need(self, condition):
        if not condition:
            raise ValueError

    # All of these numbers can be handled in 32-bit words.
    def small(self, *values):
        self.need(max(values) < LARGEST and min(values) > 0 - LARGEST)

    # True when operand `i` is there.
    def has(self, i):
        return self[i] != 1

    # Operand `i`: `size` bytes from `offset` on are read.
    def reads(self, i, size, offset=0, align=1):
        self.need(i <= self._operands)
        if not size:
            self.extents.setdefault(i, (0, 0))
            return
        word = self[i]
        low, high = 0, self.model.head_bytes
        if word & 1:
            high = len(self.model.buffer)
        elif word & 3 == layout.IN_TAIL:
            low, high = self.model.head_bytes, self.model.arena_bytes
        start = (word >> 2) + offset
        self.need(low <= start and start + size <= high and size < LARGEST)
        self.need(not start & align - 1)
        self.extents[i] = (start, start + size)

    # The same of a constant of the model; returns its bytes.
    def constant(self, i, size, align=1):
        self.reads(i, size, 0, align)
        self.need(self[i] & 1)
        return self.model.buffer[self[i] >> 2 :][:size]

    # The same of a constant that holds words as a record does, of which so many are read.
    def words_of(self, i, count):
        self.need(count < LARGEST)
        return Record(self.model, self.constant(i, 4 * count, align=4), 0)

    # Operand `i`: these bytes are read and written.
    def writes(self, i, size, offset=0, align=1):
        self.reads(i, size, offset, align)
        if not size:
            return
        self.need(not self[i] & 1)
        self.written.add(i)
        if self.locked is not None:
            start, stop = self.extents[i]
            self.need(stop <= self.locked[0] or self.locked[1] <= start)

    # Operands `i` and `k` must not share bytes; `or_equal`: they may be the very same ones.
    def apart(self, i, k, or_equal=False):
        if i in self.extents and k in self.extents and (self[i] ^ self[k]) & 1 == 0:
            (start, stop), (other, end) = self.extents[i], self.extents[k]
            same = or_equal and self.extents[i] == self.extents[k]
            self.need(same or stop <= other or end <= start)

    # Words that name persistent bytes change when interpreters share an arena (flat_program.py):
    # each must be an operand that was looked at, and none a number. Records of a chain name none:
    # what lies behind such a record, or before it, and what bands add would not move.
    def settle(self):
        for i in range(1, self._operands + 1):
            if self[i] & 3 == layout.IN_TAIL:
                self.need(i in self.extents and self.locked is None)

    # Word `i` is a byte with its top bit flipped.
    def is_offset(self, i):
        self.need(self[i] <= 255)

    # Words with a zero point and the limits of outputs, int8.
    def limits(self, at):
        zero_point, low = self.signed(at), self.signed(at + _TO_ACTIVATION_MIN)
        high = self.signed(at + _TO_ACTIVATION_MAX)
        self.need(-128 <= zero_point <= 127 and -128 <= low <= high <= 127)

    # The REQUANTIZE block that begins at word `at`, and the table behind it, for values of so many
    # channels: multipliers are positive int32, shifts those of a word.
    def requantize(self, at, channels):
        self.limits(at)
        each, count = self[at + _TO_PER_CHANNEL], self[at + _TO_CHANNELS]
        self.need(each <= 1 and 1 <= count < LARGEST and (not each or count >= channels))
        at += 5
        self.need(at + count + (count + 3) // 4 <= self.words)
        for first in range(0, count, _MANY):
            some = min(_MANY, count - first)
            values = int.from_bytes(self.table(at + first, some), "little")
            self.need(not values & int.from_bytes(b"\0\0\0\x80" * some, "little"))
        shifts = self.table(at + count, (count + 3) // 4)[:count]
        self.need(min(shifts) > 0 and max(shifts) < 63)


# a / b, rounded up.
def divided(a, b):
    return (a + b - 1) // b
