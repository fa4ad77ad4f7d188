# tflm: View the bytes of a memoryview as int16, float32 and other types.
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import InputError
from .micropython_port import struct

_WORD = struct.calcsize("P")


# Return a memoryview of `typecode` on the memory of `raw`; an item has `size` bytes.
#
# MicroPython's memoryview has no cast(). Its object is four words: type, typecode and offset,
# length, items. The offset counts items from the start of the memory (py/objarray.h). Writing
# another typecode with the matching offset and length is the cast.
def view_as(raw, typecode, size):
    from uctypes import bytearray_at

    view = raw[:]
    address = id(view)
    if address < 0:
        # For addresses from 1 << 30 to 1 << 31 (RAM of an ESP32-C6) id() returns a small int
        # that lost a bit.
        address &= 0x7FFFFFFF
    words = bytearray_at(address, 4 * _WORD)
    kind, length = struct.unpack_from("PP", words, _WORD)
    offset = kind >> 8
    if offset % size:
        raise InputError("the arena is not aligned to its items; allocate a bytearray")
    kind = offset // size << 8 | kind & 0x80 | ord(typecode)
    struct.pack_into("PP", words, _WORD, kind, length // size)
    return view
