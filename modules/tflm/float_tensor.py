# tflm: FloatTensor: a float32 input or output that a .tflm stores as integers.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from . import dtypes
from .errors import InputError
from .tensor import Tensor, range_of, rounded


# A sequence of float32 numbers over integers in the arena. Writing rounds as QUANTIZE does: the
# quotient to float32 first; NaN becomes the zero point.
class _Floats:
    def __init__(self, kept, scale, zero_point, limits, cell):
        self._kept = kept
        self._quantization = scale, zero_point, limits, cell

    def __len__(self):
        return len(self._kept)

    def __getitem__(self, i):
        scale, zero_point, _, cell = self._quantization
        if isinstance(i, slice):
            return _Floats(self._kept[i], *self._quantization)
        cell[0] = scale * (self._kept[i] - zero_point)
        return cell[0]

    def __setitem__(self, i, value):
        if isinstance(i, slice):
            target = self[i]
            if len(value) != len(target):
                raise InputError(
                    "%d values for %d elements; pass one for each" % (len(value), len(target))
                )
            for k, each in enumerate(value):
                target[k] = each
            return
        scale, zero_point, (low, high), cell = self._quantization
        cell[0] = value
        cell[0] = cell[0] / scale
        value = cell[0]
        bound = 4 * high
        q = rounded(min(max(value, 0 - bound), bound)) if value == value else 0
        self._kept[i] = min(max(q + zero_point, low), high)


class FloatTensor(Tensor):
    """A float32 Tensor without the QUANTIZE or DEQUANTIZE that `tflm flatten` removed.

    data: a sequence of floats, rounded as the removed operator does. raw: their bytes; None in
    firmware with chosen kernels. kept: the Tensor of the integers in the arena.
    """

    def __init__(self, name, dtype, shape, scale_bits, zero_point, raw):
        self._kept = kept = Tensor(name, dtype, shape, scale_bits, zero_point, raw)
        limits, cell = range_of(dtype), array("f", [0])
        floats = _Floats(kept.data, kept.scale, zero_point, limits, cell)
        try:
            from .float_bytes import FloatBytes

            raw = FloatBytes(floats)
        except ImportError:  # small firmware does not have it
            raw = None
        super().__init__(name, dtypes.FLOAT32, shape, 0, 0, raw)
        self._data = floats

    @property
    def kept(self):
        return self._kept
