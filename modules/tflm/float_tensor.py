# tflm: FloatTensor: a float32 input or output that a .tflm keeps as integers
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from . import dtypes
from .errors import InputError
from .standard import struct
from .tensor import Tensor, range_of, rounded


# Integers in the arena, seen as the float32 numbers that they stand for. What is set is rounded as
# QUANTIZE does it: the quotient to float32 first, NaN is the zero point.
class _Floats:
    def __init__(self, kept, scale, zero_point, limits, cell):
        self._kept = kept
        self._parts = scale, zero_point, limits, cell

    def __len__(self):
        return len(self._kept)

    def __getitem__(self, i):
        scale, zero_point, _, cell = self._parts
        if isinstance(i, slice):
            return _Floats(self._kept[i], *self._parts)
        cell[0] = scale * (self._kept[i] - zero_point)
        return cell[0]

    def __setitem__(self, i, value):
        if isinstance(i, slice):
            part = self[i]
            if len(value) != len(part):
                raise InputError(
                    "%d values for %d elements; pass one number for each" % (len(value), len(part))
                )
            for k, each in enumerate(value):
                part[k] = each
            return
        scale, zero_point, (low, high), cell = self._parts
        cell[0] = value
        cell[0] = cell[0] / scale
        value = cell[0]
        bound = 4 * high
        q = rounded(min(max(value, 0 - bound), bound)) if value == value else 0
        self._kept[i] = min(max(q + zero_point, low), high)


# The same as bytes, for who copies those of floats. It is no buffer, so that nothing can read a
# file of floats over the integers unnoticed.
class _Bytes:
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


class FloatTensor(Tensor):
    """A Tensor of float32 whose QUANTIZE or DEQUANTIZE was left out by `tflm flatten`.

    data: a sequence of floats, which are rounded as that operator does. raw: their bytes. kept:
    the Tensor of the integers that lie in the arena.
    """

    def __init__(self, name, dtype, shape, scale_bits, zero_point, raw):
        self._kept = kept = Tensor(name, dtype, shape, scale_bits, zero_point, raw)
        limits, cell = range_of(dtype), array("f", [0])
        floats = _Floats(kept.data, kept.scale, zero_point, limits, cell)
        super().__init__(name, dtypes.FLOAT32, shape, 0, 0, _Bytes(floats))
        self._data = floats

    @property
    def kept(self):
        return self._kept
