# tflm: FloatBytes: `raw` of a FloatTensor: the bytes of its floats.
# MIT license; Copyright (c) 2026 the tflm authors

from .errors import InputError
from .micropython_port import struct


class FloatBytes:
    """The bytes of a FloatTensor's float32 numbers, little-endian.

    It is not a buffer: reading a file into it would overwrite integers with floats.
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
        positions = range(len(self))[i] if isinstance(i, slice) else (1,)
        is_whole = len(positions) % 4 == 0 and (not positions or positions[0] % 4 == 0)
        if not is_whole or len(data) != len(positions):
            raise InputError("these bytes are float32 numbers; set whole numbers, or use kept")
        for at in range(0, len(positions), 4):
            self._floats[(positions[0] + at) // 4] = struct.unpack_from("<f", data, at)[0]
