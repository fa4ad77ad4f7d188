# tflm: access checks: Record: the words of a record, and the memory of its operands
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import format as layout
from ..dtypes import const

# Numbers and products that kernels compute in 32-bit words must stay below this.
LARGEST = 1 << 30

# Words of a REQUANTIZE block (prepare/common.py), from its first word.
_TO_ACTIVATION_MIN = const(1)
_TO_ACTIVATION_MAX = const(2)
_TO_PER_CHANNEL = const(3)
_TO_CHANNELS = const(4)

_CHUNK = const(64)  # multipliers that are checked at a time


class Record:
    """The record of an op of a FlatModel. Its methods raise ValueError if a number is invalid."""

    def __init__(self, model, data, operands):
        self.model = model
        self._data = data
        self._operands = operands
        self.words = len(data) // 4
        self.units = self[0]
        self.locked = None  # bytes of the arena that must not be written
        self.ranges = {}  # {operand: (first, last + 1) accessed byte in the arena or the model}
        self.written = set()  # operands that are written

    # Return word `i`, unsigned.
    def __getitem__(self, i):
        self.need(0 <= i < self.words)
        return struct.unpack_from("<I", self._data, 4 * i)[0]

    # Return word `i` as int32.
    def signed(self, i):
        value = self[i]
        return value - (1 << 32) if value >> 31 else value

    # Return `count` words from `first` on that are lengths: each is at least `low`.
    def numbers(self, first, count, low=1):
        self.need(first + count <= self.words)
        values = struct.unpack_from("<%dI" % count, self._data, 4 * first)
        self.need(min(values) >= low and max(values) < LARGEST)
        return values

    # Return `count` 16-bit numbers from the halfword `first` of the record on.
    def halfwords(self, first, count):
        self.need(first >= 0 and 2 * (first + count) <= 4 * self.words)
        return struct.unpack_from("<%dH" % count, self._data, 2 * first)

    # Return `count` words from `first` on as bytes.
    def table(self, first, count):
        self.need(first + count <= self.words)
        return bytes(self._data[4 * first : 4 * (first + count)])

    def need(self, condition):
        if not condition:
            raise ValueError

    # All of these numbers must fit 32-bit words.
    def small(self, *values):
        self.need(max(values) < LARGEST and min(values) > 0 - LARGEST)

    # Whether operand `i` exists.
    def has(self, i):
        return self[i] != 1

    # Operand `i`: `size` bytes from `offset` on are read.
    def reads(self, i, size, offset=0, align=1):
        self.need(i <= self._operands)
        if not size:
            self.ranges.setdefault(i, (0, 0))
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
        known = self.ranges.get(i, (0, 0))
        if known[1]:  # an operand that is checked twice has the bytes of both checks
            self.ranges[i] = min(known[0], start), max(known[1], start + size)
        else:
            self.ranges[i] = start, start + size

    # Operand `i`: `size` bytes of a constant of the model are read. Returns these bytes.
    def constant(self, i, size, align=1):
        self.reads(i, size, 0, align)
        self.need(self[i] & 1)
        return self.model.buffer[self[i] >> 2 :][:size]

    # Operand `i`: `count` words of a constant of the model are read. Returns them as a Record.
    def words_of(self, i, count):
        self.need(count < LARGEST)
        return Record(self.model, self.constant(i, 4 * count, align=4), 0)

    # Operand `i`: `size` bytes from `offset` on are read and written.
    def writes(self, i, size, offset=0, align=1):
        self.reads(i, size, offset, align)
        if not size:
            return
        self.need(not self[i] & 1)
        self.written.add(i)
        if self.locked is not None:
            start = (self[i] >> 2) + offset
            self.need(start + size <= self.locked[0] or self.locked[1] <= start)

    # Operands `i` and `k` must not share bytes; with `or_equal` they may be the same bytes.
    def apart(self, i, k, or_equal=False):
        if i in self.ranges and k in self.ranges and (self[i] ^ self[k]) & 1 == 0:
            (start, stop), (other, end) = self.ranges[i], self.ranges[k]
            same = or_equal and self.ranges[i] == self.ranges[k]
            self.need(same or stop <= other or end <= start)

    # Words that name persistent bytes change when interpreters share an arena (flat_program.py).
    # Each of these words must be an operand that was checked, not a number. Records of a chain
    # must not have such words, because the words that bands add or share would not change.
    def settle(self):
        for i in range(1, self._operands + 1):
            if self[i] & 3 == layout.IN_TAIL:
                self.need(i in self.ranges and self.locked is None)

    # Word `i` must be a byte with its top bit flipped.
    def is_offset(self, i):
        self.need(self[i] <= 255)

    # Word `i` must be `offsets` of kernels/matrix.py for vectors of int8 and sums of words: two
    # bytes in a halfword each. Overrides add the first one to numbers in the other bits of a word.
    def is_offsets(self, i):
        self.need(not self[i] & 0xFF00FF00)

    # Words with the zero point and the limits of outputs, int8.
    def limits(self, at):
        zero_point, low = self.signed(at), self.signed(at + _TO_ACTIVATION_MIN)
        high = self.signed(at + _TO_ACTIVATION_MAX)
        self.need(-128 <= zero_point <= 127 and -128 <= low <= high <= 127)

    # The REQUANTIZE block that begins at word `at`, and the table after it, for `channels`
    # channels. Multipliers must be positive int32; shifts must be less than 63.
    def requantize(self, at, channels):
        self.limits(at)
        each, count = self[at + _TO_PER_CHANNEL], self[at + _TO_CHANNELS]
        self.need(each <= 1 and 1 <= count < LARGEST and (not each or count >= channels))
        at += 5
        self.need(at + count + (count + 3) // 4 <= self.words)
        for first in range(0, count, _CHUNK):
            some = min(_CHUNK, count - first)
            values = int.from_bytes(self.table(at + first, some), "little")
            self.need(not values & int.from_bytes(b"\0\0\0\x80" * some, "little"))
        shifts = self.table(at + count, (count + 3) // 4)[:count]
        self.need(min(shifts) > 0 and max(shifts) < 63)


# Return a / b, rounded up.
def divided(a, b):
    return (a + b - 1) // b
