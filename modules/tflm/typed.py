# tflm: typed views: a memoryview of bytes seen as int16, float32 and so on
# MIT license; Copyright (c) 2026 the tflm authors

import sys

import micropython

from .errors import InputError

_WIDE = sys.maxsize >> 40  # non-zero where a word has 64 bits


# MicroPython's memoryview has no cast(). Its object is (type, typecode and offset, length,
# items), the offset counted in items from the start of the memory (py/objarray.h): writing
# another typecode with offset and length to match is the cast.
@micropython.viper
def _retype(view: ptr32, code: int, size: int, wide: int) -> int:
    if wide:
        offset = ((view[2] >> 8) & 0xFFFFFF) | (view[3] << 24)
        if offset % size:
            return 0
        offset = offset // size
        view[2] = (view[2] & 0x80) | code | (offset << 8)
        view[3] = offset >> 24
        view[4] = view[4] // size
    else:
        offset = (view[1] >> 8) & 0xFFFFFF
        if offset % size:
            return 0
        view[1] = (view[1] & 0x80) | code | ((offset // size) << 8)
        view[2] = view[2] // size
    return 1


# A memoryview of bytes as one of `typecode`, whose items have `size` bytes; same memory.
def view_as(raw, typecode, size):
    view = raw[:]
    address = id(view)
    if address < 0:
        # From 1 << 30 to 1 << 31 (ESP32-C6's RAM lies there) id() gives a small int that has
        # lost a bit.
        address &= 0x7FFFFFFF
    if not _retype(address, ord(typecode), size, _WIDE):
        raise InputError("the arena's memory is not aligned to its items; allocate a bytearray")
    return view
