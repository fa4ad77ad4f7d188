# tflm: FloatTensor: a float32 input or output that a .tflm keeps as integers
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from . import dtypes
from .errors import InputError
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


class FloatTensor(Tensor):
    """A Tensor of float32 whose QUANTIZE or DEQUANTIZE was left out by `tflm flatten`.

    data: a sequence of floats, which are rounded as that operator does. raw: their bytes; None in
    firmware with chosen kernels. kept: the Tensor of the integers that lie in the arena.
    """

    def __init__(self, name, dtype, shape, scale_bits, zero_point, raw):
        self._kept = kept = Tensor(name, dtype, shape, scale_bits, zero_point, raw)
        limits, cell = range_of(dtype), array("f", [0])
        floats = _Floats(kept.data, kept.scale, zero_point, limits, cell)
        try:
            from .float_bytes import FloatBytes

            raw = FloatBytes(floats)
        except ImportError:  # left out of small firmware
            raw = None
        super().__init__(name, dtypes.FLOAT32, shape, 0, 0, raw)
        self._data = floats

    @property
    def kept(self):
        return self._kept
