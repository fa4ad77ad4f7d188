# tflm: Tensor: what a program sees of an input or output
# MIT license; Copyright (c) 2026 the tflm authors

from . import dtypes
from .errors import InputError, UnsupportedError
from .micropython_port import struct

_MAX_NESTED = 16  # lists in lists
_NUMBER = (bool, int, float)  # MicroPython's bool is no int


# The least and the greatest integer of a type; None for those that are not converted.
def range_of(code):
    typecode = dtypes.typecode(code)
    if code == dtypes.BOOL:
        return 0, 1
    if not typecode or typecode not in "bBhHiIq" or code in (dtypes.FLOAT16, dtypes.RESOURCE):
        return None
    bits = 8 * dtypes.itemsize(code)
    if typecode in "bhiq":
        return 0 - (1 << bits - 1), (1 << bits - 1) - 1
    return 0, (1 << bits) - 1


# The sizes of nested lists, tuples and arrays of numbers, from the outermost on.
def _sizes(values, depth=0):
    if isinstance(values, _NUMBER):
        return ()
    try:
        size = len(values)
    except TypeError:
        size = None
    if size is None or isinstance(values, (str, dict)) or depth > _MAX_NESTED:
        raise InputError(
            "a %s is no number; pass numbers, or nested lists of them" % type(values).__name__
        )
    inner = None
    for value in values:
        own = () if isinstance(value, _NUMBER) else _sizes(value, depth + 1)
        if inner is None:
            inner = own
        elif inner != own:
            raise InputError("lists side by side have the shapes %s and %s" % (inner, own))
    return (size,) + (inner or ())


# Their numbers, one after the other.
def _flat(values):
    if isinstance(values, _NUMBER):
        yield values
        return
    for value in values:
        if isinstance(value, _NUMBER):
            yield value
        else:
            for inner in _flat(value):  # noqa: UP028
                yield inner


# A shape without the sizes that say nothing.
def _plain(shape):
    return [size for size in shape if size != 1]


# The nearest integer, halves away from zero. Adding 0.5 would round before it is cut off.
def rounded(value):
    whole = int(value)
    rest = value - whole
    if rest >= 0.5:
        return whole + 1
    return whole - 1 if rest <= -0.5 else whole


class Tensor:
    """A tensor in the arena.

    shape: tuple of ints. dtype: "int8", "float32", ... scale: float and zero_point: int
    (value = scale * (q - zero_point); scale is 0.0 where there is no quantization).
    data: typed memoryview on the arena. raw: the same bytes, unsigned. kept: the Tensor of what
    lies in the arena, which is this one but for float32 that a .tflm keeps as integers.
    Both are views: an input must be set again before each invoke, because the arena may
    reuse its place.
    """

    def __init__(self, name, dtype, shape, scale_bits, zero_point, raw):
        self.name = name
        self._shape = shape
        self.dtype = dtypes.name(dtype)
        self.scale = struct.unpack("<f", struct.pack("<I", scale_bits))[0]
        self.zero_point = zero_point
        self.raw = raw
        self._code = dtype
        self._data = None

    @property
    def shape(self):
        return self._shape

    @shape.setter
    def shape(self, _):
        raise InputError("a Tensor keeps its shape; Interpreter.resize_input() gives another")

    @property
    def kept(self):
        return self

    @property
    def data(self):
        """Typed memoryview: 'b' int8, 'B' uint8 and bool, 'h' int16, 'i' int32, 'q' int64, 'f'.

        It keeps what fits of a number that is too large: 300 is 44 in an int8.
        """
        if self._data is None:
            typecode = dtypes.typecode(self._code)
            if not typecode:
                raise UnsupportedError("tensor '%s' is %s; use raw" % (self.name, self.dtype))
            from .memoryview_cast import view_as

            self._data = view_as(self.raw, typecode, dtypes.itemsize(self._code))
        return self._data

    def quantize(self, values):
        """Store real `values` (a number, or nested lists in the tensor's shape, row by row).

        int types: round(value / scale) + zero_point, halves away from zero, clamped to the type.
        float32: stored as they are. Raises InputError for a wrong count or a NaN.
        """
        data = self._numbers()
        limits = range_of(self._code)
        values = self._checked(values, len(data), limits)
        for i, value in enumerate(_flat(values)):
            data[i] = self._quantized(value, limits) if limits else value

    # What quantize() may store, looked through before the first element changes.
    def _checked(self, values, elements, limits):
        if hasattr(values, "__next__"):  # a generator, which can be looked through once
            values = [value for value, _ in zip(values, range(elements + 1))]
        sizes = _sizes(values)
        count = 1
        for size in sizes:
            count *= size
        if count != elements:
            raise InputError(
                "tensor '%s' has %d elements %s, got %s"
                % (self.name, elements, self.shape, "more" if count > elements else count)
            )
        if len(_plain(sizes)) > 1 and _plain(sizes) != _plain(self.shape):
            raise InputError(
                "tensor '%s' has the shape %s, got %s" % (self.name, self.shape, sizes)
            )
        if limits:
            for i, value in enumerate(_flat(values)):
                if self.scale:
                    value = value / self.scale
                if value != value:
                    raise InputError("tensor '%s' got a NaN at element %d" % (self.name, i))
        return values

    # One real value as an integer within `limits`; without a scale integers stay exact.
    def _quantized(self, value, limits):
        if self.scale:
            value = value / self.scale
        if isinstance(value, float):
            bound = 4.0 * limits[1] + 4  # outside whatever the zero point, and no infinity
            value = rounded(min(max(value, 0 - bound), bound))
        return min(max(value + self.zero_point, limits[0]), limits[1])

    # `data` of a type that quantize and dequantize know.
    def _numbers(self):
        if range_of(self._code) is None and self._code != dtypes.FLOAT32:
            raise UnsupportedError(
                "tensor '%s' is %s, which is not converted; use raw" % (self.name, self.dtype)
            )
        return self.data

    def dequantize(self):
        """The elements as a flat list of floats: scale * (q - zero_point)."""
        data = self._numbers()
        if not self.scale:
            return [float(q) for q in data]
        return [self.scale * (q - self.zero_point) for q in data]

    # Make the typed view now, so that asking for it later takes no heap.
    def prefetch(self):
        if dtypes.typecode(self._code):
            _ = self.data

    def __repr__(self):
        text = "%s %s %s" % (self.name, self.dtype, list(self.shape))
        if self.scale:
            text += " scale %.6g zero_point %d" % (self.scale, self.zero_point)
        return "<Tensor %s>" % text
