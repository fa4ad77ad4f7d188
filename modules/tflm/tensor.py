# tflm: Tensor: what a program sees of an input or output
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from . import dtypes
from .errors import InputError, UnsupportedError

_RANGES = {
    dtypes.INT8: (-128, 127),
    dtypes.UINT8: (0, 255),
    dtypes.INT16: (-32768, 32767),
    dtypes.INT32: (-(1 << 31), (1 << 31) - 1),
    dtypes.INT64: (-(1 << 63), (1 << 63) - 1),
    dtypes.BOOL: (0, 1),
}


# Numbers of nested lists, tuples and arrays, one after the other.
def _flat(values):
    if isinstance(values, (int, float)):
        yield values
        return
    for value in values:
        if isinstance(value, (int, float)):
            yield value
        else:
            for inner in _flat(value):  # noqa: UP028
                yield inner


class Tensor:
    """A tensor in the arena.

    shape: tuple of ints. dtype: "int8", "float32", ... scale: float and zero_point: int
    (value = scale * (q - zero_point); scale is 0.0 where there is no quantization).
    data: typed memoryview on the arena. raw: the same bytes, unsigned.
    Both are views: an input must be set again before each invoke, because the arena may
    reuse its place.
    """

    def __init__(self, name, dtype, shape, scale_bits, zero_point, raw):
        self.name = name
        self.shape = shape
        self.dtype = dtypes.name(dtype)
        self.scale = struct.unpack("<f", struct.pack("<I", scale_bits))[0]
        self.zero_point = zero_point
        self.raw = raw
        self._code = dtype
        self._data = None

    @property
    def data(self):
        """Typed memoryview: 'b' int8, 'B' uint8 and bool, 'h' int16, 'i' int32, 'q' int64, 'f'."""
        if self._data is None:
            typecode = dtypes.typecode(self._code)
            if not typecode:
                raise UnsupportedError("tensor '%s' is %s; use raw" % (self.name, self.dtype))
            from .typed import view_as

            self._data = view_as(self.raw, typecode, dtypes.itemsize(self._code))
        return self._data

    def quantize(self, values):
        """Store real `values` (a number, or nested lists in the tensor's shape, row by row).

        int types: round(value / scale) + zero_point, halves away from zero, clamped to the type.
        float32: stored as they are. Raises InputError for a wrong count or a NaN.
        """
        data = self.data
        limits = _RANGES.get(self._code)
        scale = self.scale or 1.0
        count = 0
        for value in _flat(values):
            if count >= len(data):
                count += 1
                break
            if limits:
                if value != value:
                    raise InputError("input '%s' got a NaN at %d" % (self.name, count))
                scaled = value / scale
                limit = 2.0 * limits[1] + 2  # far outside, and still an int after rounding
                scaled = min(max(scaled, 0 - limit), limit)
                value = int(scaled + 0.5) if scaled >= 0 else 0 - int(0.5 - scaled)
                value = min(max(value + self.zero_point, limits[0]), limits[1])
            data[count] = value
            count += 1
        if count != len(data):
            raise InputError(
                "tensor '%s' has %d elements %s, got %s"
                % (self.name, len(data), self.shape, "more" if count > len(data) else count)
            )

    def dequantize(self):
        """The elements as a flat list of floats: scale * (q - zero_point)."""
        if not self.scale:
            return [float(q) for q in self.data]
        return [self.scale * (q - self.zero_point) for q in self.data]

    def __repr__(self):
        text = "%s %s %s" % (self.name, self.dtype, list(self.shape))
        if self.scale:
            text += " scale %.6g zero_point %d" % (self.scale, self.zero_point)
        return "<Tensor %s>" % text
