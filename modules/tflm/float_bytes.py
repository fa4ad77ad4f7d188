# tflm: FloatBytes: bytes of the floats that a FloatTensor stands for
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import InputError
from .micropython_port import struct


class FloatBytes:
    """What `raw` is of a FloatTensor: the bytes of its float32 numbers, little-endian.

    It is no buffer, so that nothing can read a file of floats over the integers unnoticed.
    """

    def __init__(self, floats):
        self._floats = floats

    def __len__(self):
        return 4 * len(self._floats)

    def __iter__(self):
        for value in self._floats:
            yield from struct.pack("<f", value)

    def __getitem__(self, i):
        if isinstance(i, slice):
            return bytes(self)[i]
        i = range(len(self))[i]
        return struct.pack("<f", self._floats[i // 4])[i % 4]

    def __setitem__(self, i, data):
        places = range(len(self))[i] if isinstance(i, slice) else (1,)
        whole = len(places) % 4 == 0 and (not places or places[0] % 4 == 0)
        if not whole or len(data) != len(places):
            raise InputError("these are float32 numbers; set the bytes of whole ones, or use kept")
        for at in range(0, len(places), 4):
            self._floats[(places[0] + at) // 4] = struct.unpack_from("<f", data, at)[0]
