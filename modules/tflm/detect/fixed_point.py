# tflm.detect: FixedPoint: real values of an output as integers, which need no heap.
# MIT license; Copyright (c) 2026 the tflm authors

# A float is an object in MicroPython's heap, so the decoders compute with integers: ONE is 1.0.
# All integers have less than 31 bits, because larger ones are objects in the heap, too.

import math
from array import array

import micropython

from ..errors import InputError

ONE = 65536
_MAX = (1 << 29) - 1
_MAX_EXPONENT = 95000  # exp() of it is 4.26
_TYPES = ("int8", "uint8", "float32")


# Return a float32 multiplied by `mantissa` (15 bits) * 2**exponent.
@micropython.viper
def _scaled(data: ptr32, at: int, mantissa: int, exponent: int) -> int:
    bits = data[at]
    power = ((bits >> 23) & 255) + exponent
    value = ((((bits & 0x7FFFFF) | 0x800000) + 256) >> 9) * mantissa
    if (bits >> 23) & 255 == 0:
        value = 0
    if power >= 0:
        value = 0x1FFFFFFF
    elif power < -30:
        value = 0
    else:
        value = (value >> (0 - power - 1)) + 1 >> 1
    if (bits >> 31) & 1:
        return 0 - value
    return value


@micropython.viper
def product(a: int, b: int) -> int:
    """Return the product of two values from 0 to ONE."""
    if a >= 65536:
        return b
    return (a * (b >> 1)) >> 15


class FixedPoint:
    """The elements of an output as integers, ONE for 1.0.

    tensor: int8, uint8 or float32, also a float32 that a .tflm stores as integers. factor: all
    values are multiplied by it. Raises InputError for other types.
    """

    def __init__(self, tensor, factor=1.0):
        tensor = check_type(tensor)
        self._raw = tensor.raw
        self.count = len(self._raw)  # elements
        self._table = None
        if tensor.dtype == "float32":
            self.count >>= 2
            power = 0
            while factor < 16384:
                factor, power = factor * 2, power - 1
            while factor >= 32767.5:
                factor, power = factor / 2, power + 1
            self._mantissa = int(factor + 0.5)
            # The bias of float32 is 127. Its mantissa is shortened to 15 bits, so 1.0 is 1 << 14.
            # ONE is 1 << 16.
            self._exponent = power - 127 - 14 + 16
            return
        factor *= ONE * tensor.scale
        self._table = array("i", bytes(4 * 256))
        for byte in range(256):
            q = byte - 256 if byte > 127 and tensor.dtype == "int8" else byte
            value = (q - tensor.zero_point) * factor
            self._table[byte] = int(min(max(math.floor(value + 0.5), -_MAX), _MAX))

    def at(self, index):
        """Return the element at an index."""
        if self._table is None:
            return _scaled(self._raw, index, self._mantissa, self._exponent)
        return self._table[self._raw[index]]


def check_type(tensor):
    """Return the Tensor that is stored in the arena; raise InputError for unsupported types."""
    kept = tensor.kept
    if kept.dtype not in _TYPES or kept.dtype != "float32" and not kept.scale:
        raise InputError(
            "the output '%s' is %s%s; detectors read float32 and quantized int8 and uint8"
            % (tensor.name, kept.dtype, "" if kept.scale else " without a scale")
        )
    return kept


class Sigmoid:
    """The function 1 / (1 + exp(-x)), interpolated between 513 values; the error is below 2e-5."""

    def __init__(self):
        values = (1 / (1 + math.exp(i / -32)) for i in range(513))
        self._table = array("i", [int(ONE * value + 0.5) for value in values])

    def of(self, x):
        """Return the function's value."""
        size = 0 - x if x < 0 else x
        if size >= 16 * ONE:
            value = ONE
        else:
            i = size >> 11
            value = self._table[i]
            value += (self._table[i + 1] - value) * (size & 2047) >> 11
        return ONE - value if x < 0 else value


class Exp:
    """The function exp(x), at most 4.26; the relative error is below 5e-5, or one of ONE."""

    def __init__(self):
        self._table = array("i", [int(ONE * 2 ** (i / 64) + 0.5) for i in range(65)])

    def of(self, x):
        """Return the function's value."""
        x = min(max(x, -16 * ONE), _MAX_EXPONENT)
        # The power of two: x * log2(e), in two products that stay below 31 bits.
        power = ((x >> 8) * 94548 >> 8) + ((x & 255) * 94548 >> 16)
        i = (power >> 10) & 63
        value = self._table[i]
        value += (self._table[i + 1] - value) * (power & 1023) >> 10
        whole = power >> 16
        return value << whole if whole >= 0 else value >> 0 - whole


def logarithm(value):
    """Return the natural logarithm of a positive float as an integer, ONE for 1.0."""
    return int(math.floor(math.log(value) * ONE + 0.5))
