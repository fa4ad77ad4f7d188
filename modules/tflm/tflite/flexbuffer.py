# tflm: Read FlexBuffers, the options of custom operators; every position is checked.
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from ..errors import ModelError

_NULL, _INT, _UINT, _FLOAT, _KEY, _STRING = 0, 1, 2, 3, 4, 5
_INDIRECT_INT, _INDIRECT_UINT, _INDIRECT_FLOAT = 6, 7, 8
_MAP, _VECTOR = 9, 10
_TYPED_VECTORS = (11, 12, 13, 14, 15)  # int, uint, float, key, string
_FIXED_VECTORS = 16  # to 24: two, three and four of int, uint, float
_BLOB, _BOOL, _BOOL_VECTOR = 25, 26, 36
_MAX_DEPTH = 16
_INTS = {1: "b", 2: "h", 4: "i", 8: "q"}
_FLOATS = {4: "f", 8: "d"}


# Return the error for a damaged buffer.
def _broken(what):
    return ModelError("the custom options are damaged: %s; they must be FlexBuffers" % what)


# Reads the values of a buffer. `width` is the bytes of a slot: 1, 2, 4 or 8.
class _Reader:
    def __init__(self, buffer):
        self.buffer = bytes(buffer)
        # Values may share bytes, but a damaged buffer must not yield them without limit.
        self.budget = len(self.buffer) * 16 + 64

    # Count `count` more values or bytes.
    def _spend(self, count):
        self.budget -= count
        if self.budget < 0:
            raise _broken("its values overlap")

    def _unpack(self, at, kind, width):
        if at < 0 or at + width > len(self.buffer):
            raise _broken("a value at %d is outside" % at)
        return struct.unpack_from("<" + kind, self.buffer, at)[0]

    def _int(self, at, width):
        return self._unpack(at, _INTS[width], width)

    def _uint(self, at, width):
        return self._unpack(at, _INTS[width].upper(), width)

    def _float(self, at, width):
        if width not in _FLOATS:
            raise _broken("a float of %d bytes" % width)
        return self._unpack(at, _FLOATS[width], width)

    # Return the target of the offset in a slot, which always points backwards.
    def _follow(self, at, width):
        target = at - self._uint(at, width)
        if target < 0:
            raise _broken("an offset at %d points outside" % at)
        return target

    def _text(self, raw):
        self._spend(len(raw))
        try:
            return raw.decode()
        except UnicodeError:
            pass
        raise _broken("a string is not UTF-8")

    def _key(self, at):
        end = self.buffer.find(b"\0", at)
        if end < 0:
            raise _broken("a key has no end")
        return self._text(self.buffer[at:end])

    def _sized(self, at, width):
        size = self._uint(at - width, width)
        if at + size > len(self.buffer):
            raise _broken("%d bytes at %d are outside" % (size, at))
        self._spend(size)
        return self.buffer[at : at + size]

    # Return a number of type _INT, _UINT or _FLOAT.
    def _number(self, kind, at, width):
        return (self._int, self._uint, self._float)[kind - _INT](at, width)

    # Return the value in the slot at `at`. `packed`: its type, and the width of its target.
    def value(self, at, width, packed, depth=0):
        kind, inner = packed >> 2, 1 << (packed & 3)
        self._spend(1)
        if depth > _MAX_DEPTH:
            raise _broken("too deeply nested values")
        if kind == _NULL:
            return None
        if kind == _BOOL:
            return self._uint(at, width) != 0
        if _INT <= kind <= _FLOAT:
            return self._number(kind, at, width)
        target = self._follow(at, width)
        if _INDIRECT_INT <= kind <= _INDIRECT_FLOAT:
            return self._number(kind - _INDIRECT_INT + _INT, target, inner)
        if kind == _KEY:
            return self._key(target)
        if kind == _STRING:
            return self._text(self._sized(target, inner))
        if kind == _BLOB:
            return self._sized(target, inner)
        return self._values(kind, target, inner, packed & 3, depth)

    # Return a map or vector. `each`: the packed width of the items of a typed vector.
    def _values(self, kind, target, inner, each, depth):
        if kind == _MAP:
            keys_at = self._follow(target - 3 * inner, inner)
            keys_width = self._uint(target - 2 * inner, inner)
            if keys_width not in _INTS:
                raise _broken("keys of %d bytes" % keys_width)
            keys = self._items(keys_at, keys_width, _KEY << 2, depth)
            return dict(zip(keys, self._items(target, inner, None, depth)))
        if kind == _VECTOR:
            return self._items(target, inner, None, depth)
        if kind in _TYPED_VECTORS:
            return self._items(target, inner, (kind - 10) << 2 | each, depth)
        if kind == _BOOL_VECTOR:
            return self._items(target, inner, _BOOL << 2, depth)
        if _FIXED_VECTORS <= kind < _FIXED_VECTORS + 9:
            count, kind = (kind - 16) // 3 + 2, (kind - 16) % 3 + 1
            return [self.value(target + i * inner, inner, kind << 2) for i in range(count)]
        raise _broken("unknown type %d" % kind)

    # Return the items of a vector: all of the type `packed`, or with a type byte for each after
    # the items.
    def _items(self, at, width, packed, depth):
        count = self._uint(at - width, width)
        if at + count * width > len(self.buffer):
            raise _broken("a vector of %d items is outside" % count)
        types = at + count * width
        values = []
        for i in range(count):
            each = self._uint(types + i, 1) if packed is None else packed
            values.append(self.value(at + i * width, width, each, depth + 1))
        return values


def parse(buffer):
    """Return the root value of a FlexBuffer: dict, list, str, bytes, int, float, bool or None.

    Raises ModelError for a damaged buffer. Source: FlexBuffers of google/flatbuffers.
    """
    reader = _Reader(buffer)
    size = len(reader.buffer)
    if size < 3 or reader.buffer[-1] not in _INTS:
        raise _broken("no root")
    width = reader.buffer[-1]
    return reader.value(size - 2 - width, width, reader.buffer[-2])
