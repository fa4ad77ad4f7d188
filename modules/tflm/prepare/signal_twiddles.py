# tflm: the cosines and sines of an FFT, equal to kissfft's to the last bit
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from . import scale
from .trigonometry import PI, cos_sin


# kissfft's cos and sin of an angle, a number of scale.py: as float32, or as integers of some bits,
# floor(0.5 + maximum * cos) in double.
class Rounding:
    def __init__(self, dtype):
        self.dtype = dtype
        self.maximum = scale.from_int(32767 if dtype == dtypes.INT16 else 0x7FFFFFFF)

    def pair(self, angle):
        return [self._value(scale.rounded(x, scale.DOUBLE)) for x in cos_sin(angle)]

    def _value(self, number):
        if self.dtype == dtypes.FLOAT32:
            return scale.to_bits(number)
        m, e = scale.add(scale.multiply(self.maximum, number), (1, -1))
        return m << e if e > 0 else m >> (0 - e)

    # Return the bytes of a list of pairs. Kernels for words multiply by (cos, -sin) and (sin,
    # cos).
    def table(self, pairs):
        if self.dtype == dtypes.INT16:
            return b"".join([struct.pack("<hh", *pair) for pair in pairs])
        words = []
        for cos, sin in pairs:
            minus = sin ^ 1 << 31 if self.dtype == dtypes.FLOAT32 else 0 - sin
            words += [cos, minus, sin, cos]
        return b"".join([struct.pack("<I", word & 0xFFFFFFFF) for word in words])

    # Return the bytes of the roots of unity of a stage. Kernels for words multiply by their parts.
    def roots(self, pairs):
        if self.dtype == dtypes.INT16:
            return self.table(pairs)
        words = []
        for cos, sin in pairs:
            words += [cos, 0, cos, sin, 0, sin]
        return b"".join([struct.pack("<I", word & 0xFFFFFFFF) for word in words])


# Return the twiddles of the whole complex transform: e ** (-2 pi i k / pairs), or conjugated.
def twiddles(transform, rounding):
    found = []
    for k in range(transform.pairs):
        m, e = scale.multiply((-2 * PI[0], PI[1]), scale.from_int(k))
        m, e = scale.divide((m, e), scale.from_int(transform.pairs))
        found.append(rounding.pair((0 - m if transform.inverse else m, e)))
    return found


# Return the twiddles of the step that separates even and odd values.
def super_twiddles(transform, rounding):
    found = []
    for k in range(transform.pairs // 2):
        ratio = scale.divide(scale.from_int(k + 1), scale.from_int(transform.pairs))
        m, e = scale.multiply((0 - PI[0], PI[1]), scale.add(ratio, (1, -1)))
        found.append(rounding.pair((0 - m if transform.inverse else m, e)))
    return found
