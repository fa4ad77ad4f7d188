# tflm: Read FlatBuffers; check that each offset is inside the file before following it.
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from ..errors import ModelError, printable

_MAX_STRING = 255  # bytes of a name, the most that a flat model can store, too
_SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "f": 4, "q": 8, "Q": 8}
# Made once: a model has thousands of scalars, and making a string searches all known strings.
_FORMATS = {kind: "<" + kind for kind in _SIZES}


# Return the error for a read outside the file.
def _broken(what, position):
    return ModelError(
        "the model is damaged: %s at byte %d is outside the file; get an intact copy"
        % (what, position)
    )


# Return a scalar at an absolute position.
def scalar(buffer, position, kind):
    if position < 0 or position + _SIZES[kind] > len(buffer):
        raise _broken("a value", position)
    return struct.unpack_from(_FORMATS[kind], buffer, position)[0]


# A vector of scalars or offsets.
class Vector:
    def __init__(self, buffer, position, item_size):
        self.buffer = buffer
        self.length = scalar(buffer, position, "I")
        self.start = position + 4
        if self.start + self.length * item_size > len(buffer):
            raise _broken("a vector of %d items" % self.length, position)

    def __len__(self):
        return self.length

    # Return element `i` as a number.
    def number(self, i, kind):
        if not 0 <= i < self.length:
            raise _broken("item %d of a vector of %d" % (i, self.length), self.start)
        return scalar(self.buffer, self.start + i * _SIZES[kind], kind)

    # Return all elements as a tuple of numbers.
    def numbers(self, kind):
        return struct.unpack_from("<%d%s" % (self.length, kind), self.buffer, self.start)

    # Return element `i` as a table.
    def table(self, i):
        at = self.start + 4 * i
        return Table(self.buffer, at + scalar(self.buffer, at, "I"))


# A table. Fields have the numbers of the schema; an absent field has its default.
class Table:
    def __init__(self, buffer, position):
        self.buffer = buffer
        self.position = position
        self._vtable = position - scalar(buffer, position, "i")
        self._size = scalar(buffer, self._vtable, "H")
        if self._size < 4 or self._vtable + self._size > len(buffer):
            raise _broken("a vtable", self._vtable)

    # Return the absolute position of a field; 0 if it is absent.
    def field_position(self, number):
        at = 4 + 2 * number
        if at + 2 > self._size:
            return 0
        offset = scalar(self.buffer, self._vtable + at, "H")
        return self.position + offset if offset else 0

    # Return a scalar field.
    def get(self, number, kind, default=0):
        at = self.field_position(number)
        return scalar(self.buffer, at, kind) if at else default

    # Return the position that an offset field points to; 0 if it is absent.
    def _follow(self, number):
        at = self.field_position(number)
        return at + scalar(self.buffer, at, "I") if at else 0

    # Return a field that is a table, or None.
    def table(self, number):
        at = self._follow(number)
        return Table(self.buffer, at) if at else None

    # Return a field that is a vector of items of `item_size` bytes, or None.
    def vector(self, number, item_size=4):
        at = self._follow(number)
        return Vector(self.buffer, at, item_size) if at else None

    # Return the number of items of a vector; 0 if it is absent.
    def length(self, number):
        at = self._follow(number)
        return scalar(self.buffer, at, "I") if at else 0

    # Return a vector of numbers as a tuple; () if it is absent.
    def numbers(self, number, kind):
        vector = self.vector(number, _SIZES[kind])
        return vector.numbers(kind) if vector else ()

    # Return (position, length) of a vector of bytes; (0, 0) if it is absent.
    def bytes_at(self, number):
        vector = self.vector(number, 1)
        return (vector.start, vector.length) if vector else (0, 0)

    # Return a string of at most 255 bytes, with "?" for invalid UTF-8 and control characters.
    def string(self, number):
        start, length = self.bytes_at(number)
        keep = min(length, _MAX_STRING)
        if keep < length:  # do not cut a character in two
            while keep and self.buffer[start + keep] & 0xC0 == 0x80:
                keep -= 1
        raw = bytes(self.buffer[start : start + keep])
        try:
            return printable(raw)
        except UnicodeError:
            return "".join([chr(c) if 32 <= c < 127 else "?" for c in raw])
