# tflm: typed views: a memoryview of bytes seen as int16, float32 and so on
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import InputError
from .micropython_port import struct

_WORD = struct.calcsize("P")


# A memoryview of bytes as one of `typecode`, whose items have `size` bytes; same memory.
#
# MicroPython's memoryview has no cast(). Its object is four words (type, typecode and offset,
# length, items), the offset counted in items from the start of the memory (py/objarray.h):
# writing another typecode with offset and length to match is the cast.
def view_as(raw, typecode, size):
    from uctypes import bytearray_at

    view = raw[:]
    address = id(view)
    if address < 0:
        # From 1 << 30 to 1 << 31 (ESP32-C6's RAM lies there) id() gives a small int that has
        # lost a bit.
        address &= 0x7FFFFFFF
    words = bytearray_at(address, 4 * _WORD)
    kind, length = struct.unpack_from("PP", words, _WORD)
    offset = kind >> 8
    if offset % size:
        raise InputError("the arena's memory is not aligned to its items; allocate a bytearray")
    kind = offset // size << 8 | kind & 0x80 | ord(typecode)
    struct.pack_into("PP", words, _WORD, kind, length // size)
    return view
