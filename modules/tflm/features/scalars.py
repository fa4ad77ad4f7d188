# tflm.features: float32 numbers as words of the work memory, which need no heap.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

import micropython

from ..kernels.float32 import combine
from ..kernels.float32_convert import from_int
from ..kernels.float32_divide import div
from ..kernels.float32_log import log
from ..kernels.float32_sqrt import sqrt

MAC, MUL, ADD, SUB = 0, 1, 2, 3  # operations of combine()
EACH = 1 | 1 << 10 | 1 << 20  # steps of combine(): each element of all operands
BY_ONE = 1 | 1 << 10  # the second operand is one number
DOT = 1 << 10 | 1 << 20  # the result is one number
SUM = 1 << 20  # the result is one number, and the first operand
_INT32 = 3

# A float to store: its bits, if they were an int, could be an object in a board's heap.
_bits = array("f", [0])


@micropython.viper
def store(work: ptr32, at: int, source: ptr32, index: int):
    """Copy word `index` of an array to the work memory."""
    work[at] = source[index]


@micropython.viper
def clear(work: ptr32, at: int, count: int):
    """Set words to 0."""
    end = at + count
    while at < end:
        work[at] = 0
        at += 1


@micropython.viper
def copy(work: ptr32, target: int, source: int, count: int, step: int):
    """Copy words; step: from one source to the next."""
    end = target + count
    while target < end:
        work[target] = work[source]
        source += step
        target += 1


@micropython.viper
def scatter(work: ptr32, target: int, source: int, count: int, step: int):
    """Copy words; step: from one target to the next."""
    end = source + count
    while source < end:
        work[target] = work[source]
        source += 1
        target += step


@micropython.viper
def scale_by(work: ptr32, at: int, count: int, power: int):
    """Multiply float32 numbers by 2 ** power; results below the normal numbers are 0."""
    end = at + count
    while at < end:
        bits = work[at]
        e = (bits >> 23 & 0xFF) + power
        if e < 1 or not bits >> 23 & 0xFF:
            bits = 0
        else:
            if e > 254:
                e = 254
            bits = bits & 0x7FFFFF | (bits >> 31 & 1) << 31 | e << 23
        work[at] = bits
        at += 1


@micropython.viper
def replace_zeros(work: ptr32, at: int, count: int, by: int):
    """Replace zeros by the number at `by`."""
    end = at + count
    while at < end:
        if not work[at]:
            work[at] = work[by]
        at += 1


@micropython.viper
def clamp(work: ptr32, at: int, count: int, high: int):
    """Replace negative float32 numbers by 0, and if `high` is set those above 1 by 1."""
    one = 127 << 23
    end = at + count
    while at < end:
        bits = work[at]
        if bits >> 31 & 1:
            work[at] = 0
        elif high and bits > one:
            work[at] = one
        at += 1


@micropython.viper
def at_least(work: ptr32, at: int, count: int, by: int):
    """Replace positive float32 numbers that are less than the one at `by`."""
    end = at + count
    low = work[by]
    while at < end:
        if work[at] < low:
            work[at] = low
        at += 1


@micropython.viper
def to_steps(work: ptr32, at: int, count: int):
    """Round float32 numbers from 0 to 1 to multiples of 1 / 256, below 1, halves to even."""
    end = at + count
    while at < end:
        bits = work[at]
        e = 142 - (bits >> 23 & 0xFF)
        bits = bits & 0x7FFFFF | 0x800000
        value = 0
        if e < 26:
            half = 1 << e - 1
            value = bits + half - 1 + (bits >> e & 1) >> e
        if value > 255:
            value = 255
        bits = 0
        if value:
            e = 126
            value = value << 16
            while not value >> 23:
                value = value << 1
                e -= 1
            bits = (e - 1 << 23) + value
        work[at] = bits
        at += 1


@micropython.viper
def least_and_greatest(work: ptr32, at: int, count: int, target: int):
    """Store the least and the greatest of float32 numbers at `target`."""
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    low = 0
    high = 0
    i = 0
    while i < count:
        # Float32 numbers have the order of their bits, read as an integer with their sign.
        order = work[at + i] & magnitude
        if work[at + i] >> 31 & 1:
            order = 0 - order
        if i == 0 or order < low:
            low = order
            work[target] = work[at + i]
        if i == 0 or order > high:
            high = order
            work[target + 1] = work[at + i]
        i += 1


class Scalars:
    """Operations with single float32 numbers in the work memory, at positions."""

    def __init__(self, work):
        self._work = work

    def set(self, at, value):
        """Store a float. This uses heap."""
        _bits[0] = value
        store(self._work, at, _bits, 0)

    def from_int(self, target, at):
        """Store an int32 of the work memory."""
        from_int(self._work, self._work, target << 4, at << 4, 1, _INT32)

    def from_ints(self, target, at, count):
        """Store `count` int32 of the work memory."""
        from_int(self._work, self._work, target << 4, at << 4, count, _INT32)

    def combine(self, kind, target, a, b):
        """Store a + b, a - b or a * b."""
        combine(self._work, self._work, target << 4, a << 4, b << 4, 1, EACH, kind)

    def divide(self, target, a, b):
        """Store a / b."""
        div(self._work, self._work, target << 4, a << 4, b << 4, 1, EACH)

    def sqrt(self, target, a):
        """Store the square root of a."""
        sqrt(self._work, self._work, target << 4, a << 4, 1)

    def log(self, at, count):
        """Replace numbers by their natural logarithms."""
        log(self._work, self._work, at << 4, at << 4, count)

    def scale(self, at, power):
        """Multiply a number by 2 ** power."""
        scale_by(self._work, at, 1, power)

    def copy(self, target, at):
        """Copy a number."""
        copy(self._work, target, at, 1, 1)

    def copy_vector(self, target, at, count):
        """Copy `count` numbers."""
        copy(self._work, target, at, count, 1)

    def scale_vector(self, at, count, power):
        """Multiply `count` numbers by 2 ** power."""
        scale_by(self._work, at, count, power)

    def each(self, kind, at, count, b):
        """Store a + b, a - b or a * b for `count` numbers a, in place, and one number b."""
        combine(self._work, self._work, at << 4, at << 4, b << 4, count, BY_ONE, kind)

    def vector(self, kind, target, a, b, count):
        """Store a + b, a - b or a * b for `count` pairs."""
        combine(self._work, self._work, target << 4, a << 4, b << 4, count, EACH, kind)

    def quotients(self, at, count, b):
        """Divide `count` numbers by one number, in place."""
        div(self._work, self._work, at << 4, at << 4, b << 4, count, BY_ONE)

    def vector_quotients(self, target, a, b, count):
        """Store a / b for `count` pairs."""
        div(self._work, self._work, target << 4, a << 4, b << 4, count, EACH)

    def roots(self, at, count):
        """Replace numbers by their square roots."""
        sqrt(self._work, self._work, at << 4, at << 4, count)

    def sum(self, target, at, count):
        """Store the sum of `count` numbers."""
        clear(self._work, target, 1)
        combine(self._work, self._work, target << 4, target << 4, at << 4, count, SUM, ADD)

    def dot(self, target, a, b, count):
        """Store the sum of `count` products."""
        clear(self._work, target, 1)
        combine(self._work, self._work, target << 4, a << 4, b << 4, count, DOT, MAC)


@micropython.viper
def dots(work, target: int, a: int, table, ranges: ptr16, rows: int, columns: int):
    """Store dot products of a vector with rows of an array of float32.

    ranges: first element of the vector and number of elements for each row; not used if `columns`
    is above 0, which is then the number of elements of each row, from the first on.
    """
    row = 0
    b = 1
    p = ptr32(work)
    while row < rows:
        first = 0
        count = columns
        if not columns:
            first = ranges[2 * row]
            count = ranges[2 * row + 1]
        p[target] = 0
        combine(work, table, target << 4, a + first << 4, b, count, 1 << 10 | 1 << 20, 0)
        b += count << 4
        target += 1
        row += 1
