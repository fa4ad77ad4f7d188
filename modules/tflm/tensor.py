# tflm: Tensor: an input or output of a model, as a program sees it.
# MIT license; Copyright (c) 2026 the tflm authors

from . import dtypes
from .errors import InputError, UnsupportedError
from .micropython_port import struct

_MAX_DEPTH = 16  # of nested lists
_NUMBER = (bool, int, float)  # MicroPython's bool is no int


# Return the (least, greatest) integer of a type; None for types that are not converted.
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


# Return the shape of nested lists, tuples and arrays of numbers.
def _nested_shape(values, depth=0):
    if isinstance(values, _NUMBER):
        return ()
    try:
        size = len(values)
    except TypeError:
        size = None
    if size is None or isinstance(values, (str, dict)) or depth > _MAX_DEPTH:
        raise InputError("a %s is no number; pass numbers or nested lists" % type(values).__name__)
    inner = None
    for value in values:
        own = () if isinstance(value, _NUMBER) else _nested_shape(value, depth + 1)
        if inner is None:
            inner = own
        elif inner != own:
            raise InputError(
                "lists side by side have the shapes %s and %s; pass equal ones" % (inner, own)
            )
    return (size,) + (inner or ())


# Yield the numbers of nested lists in order.
def _flatten(values):
    if isinstance(values, _NUMBER):
        yield values
        return
    for value in values:
        if isinstance(value, _NUMBER):
            yield value
        else:
            for inner in _flatten(value):  # noqa: UP028
                yield inner


# Return a shape without its dimensions of 1.
def _squeezed(shape):
    return [size for size in shape if size != 1]


# Return the nearest integer, halves away from zero. Adding 0.5 first would round before the cut.
def rounded(value):
    whole = int(value)
    rest = value - whole
    if rest >= 0.5:
        return whole + 1
    return whole - 1 if rest <= -0.5 else whole


class Tensor:
    """An input or output in the arena.

    name: the name in the model. shape: tuple of ints. dtype: "int8", "float32", ...
    scale, zero_point: float and int; value = scale * (q - zero_point). scale is 0.0 for a tensor
        without quantization.
    data: memoryview of the elements. raw: the same memory as unsigned bytes. Set an input before
        each invoke: the arena may use its memory for other tensors.
    kept: the Tensor of the integers in the arena, if a .tflm stores a float32 tensor so; else
        this Tensor.
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
        raise InputError("a Tensor keeps its shape; use Interpreter.resize_input()")

    @property
    def kept(self):
        return self

    @property
    def data(self):
        """Memoryview of the elements in the arena.

        Typecodes: 'b' int8, 'B' uint8 and bool, 'h' int16, 'i' int32, 'q' int64, 'f' float32. A
        number that is too large is cut: 300 becomes 44 in an int8. Raises UnsupportedError for
        types without a typecode.
        """
        if self._data is None:
            typecode = dtypes.typecode(self._code)
            if not typecode:
                raise UnsupportedError("tensor '%s' is %s; use raw" % (self.name, self.dtype))
            from .memoryview_cast import view_as

            self._data = view_as(self.raw, typecode, dtypes.itemsize(self._code))
        return self._data

    def quantize(self, values):
        """Store real numbers.

        values: a number, or nested lists in the tensor's shape, or a flat list, row by row.
        Integer types store round(value / scale) + zero_point, halves away from zero, clamped to
        the type. float32 stores the values. Raises InputError for a wrong count or shape or a NaN,
        before any element changes; UnsupportedError for types that are not converted.
        """
        data = self._convertible_data()
        limits = range_of(self._code)
        values = self._checked(values, len(data), limits)
        for i, value in enumerate(_flatten(values)):
            data[i] = self._quantized(value, limits) if limits else value

    # Return the values of quantize() after checking all of them.
    def _checked(self, values, elements, limits):
        if hasattr(values, "__next__"):  # a generator can be read only once
            values = [value for value, _ in zip(values, range(elements + 1))]
        sizes = _nested_shape(values)
        count = 1
        for size in sizes:
            count *= size
        if count != elements:
            raise InputError(
                "tensor '%s' has %d elements %s, got %s; pass a number for each"
                % (self.name, elements, self.shape, "more" if count > elements else count)
            )
        if len(_squeezed(sizes)) > 1 and _squeezed(sizes) != _squeezed(self.shape):
            raise InputError(
                "tensor '%s' has the shape %s, got %s; pass this shape, or a flat list"
                % (self.name, self.shape, sizes)
            )
        if limits:
            for i, value in enumerate(_flatten(values)):
                if self.scale:
                    value = value / self.scale
                if value != value:
                    raise InputError(
                        "tensor '%s' got a NaN at element %d; replace it" % (self.name, i)
                    )
        return values

    # Return a real value as an integer within `limits`. Without a scale, integers stay exact.
    def _quantized(self, value, limits):
        if self.scale:
            value = value / self.scale
        if isinstance(value, float):
            bound = 4.0 * limits[1] + 4  # beyond any zero point, and removes infinities
            value = rounded(min(max(value, 0 - bound), bound))
        return min(max(value + self.zero_point, limits[0]), limits[1])

    # Return `data` if quantize() and dequantize() support the type.
    def _convertible_data(self):
        if range_of(self._code) is None and self._code != dtypes.FLOAT32:
            raise UnsupportedError("tensor '%s' is %s; use raw or data" % (self.name, self.dtype))
        return self.data

    def dequantize(self):
        """Return the elements as a flat list of floats: scale * (q - zero_point).

        Raises UnsupportedError for types that are not converted.
        """
        data = self._convertible_data()
        if not self.scale:
            return [float(q) for q in data]
        return [self.scale * (q - self.zero_point) for q in data]

    # Make the typed view now, so that using `data` later allocates nothing.
    def prefetch(self):
        if dtypes.typecode(self._code):
            _ = self.data

    def __repr__(self):
        text = "%s %s %s" % (self.name, self.dtype, list(self.shape))
        if self.scale:
            text += " scale %.6g zero_point %d" % (self.scale, self.zero_point)
        return "<Tensor %s>" % text
