# tflm: Nested lists with a shape: the arrays of litert and ml on a board.
# MIT license; Copyright (c) 2026 the tflm authors

from array import array

from .. import dtypes


class Array(list):
    """The values of a tensor as lists nested in its shape, with the methods of an array."""

    @property
    def shape(self):
        inner = self[0].shape if self and isinstance(self[0], Array) else ()
        return (len(self),) + inner

    def flatten(self):
        """Return the values as one list, row by row."""
        found = Array()
        for value in self:
            if isinstance(value, Array):
                found.extend(value.flatten())
            else:
                found.append(value)
        return found

    def tolist(self):
        """Return the values as plain nested lists."""
        return [value.tolist() if isinstance(value, Array) else value for value in self]


# A tensor type, in place of numpy's class: dtype(values) converts, dtype.__name__ is its name.
class _Dtype:
    def __init__(self, name):
        self.__name__ = name

    def __call__(self, values):
        if isinstance(values, (list, tuple)):
            return Array([self(value) for value in values])
        return float(values) if self.__name__[:5] == "float" else int(values)

    def __eq__(self, other):
        return getattr(other, "__name__", other) == self.__name__

    def __hash__(self):
        return hash(self.__name__)

    def __repr__(self):
        return self.__name__


# Return the typecode of array for the name of a type.
def typecode(dtype):
    codes = [code for code in range(32) if dtypes.name(code) == dtype]
    return dtypes.typecode(codes[0]) or "B"


# Return the type of a tensor, for its details.
def dtype(name):
    return _Dtype(name)


# Return a list of sizes, scales or zero points, for its details.
def vector(values, _dtype):
    return Array(values)


# Return a copy of bytes as a flat array of a type, for store().
def elements(raw, dtype):
    return array(typecode(dtype), bytes(raw))


# Return a copy of flat elements, nested in a shape; for a scalar the element.
def shaped(data, shape):
    return _nest(data, 0, len(data), shape)


def _nest(data, at, count, shape):
    if not shape:
        return data[at]
    if len(shape) == 1:
        return Array(data[at : at + count])
    step = count // shape[0] if shape[0] else 0
    return Array([_nest(data, at + i * step, step, shape[1:]) for i in range(shape[0])])


# Return elements to read and write in place; they are flat, because no list can be a view.
def view(data, _shape):
    return data


# Copy values to elements. The values are nested in the tensor's shape, or flat, or bytes. Raises
# ValueError for others before any element changes.
def store(into, values, tensor):
    if isinstance(values, (bytes, bytearray, memoryview)) and len(values) == len(tensor.raw):
        into[:] = array(typecode(tensor.dtype), bytes(values))
        return
    shape = tensor.shape
    if _length(values) == len(into) and len(into) and _length(values[0]) is None:
        shape = (len(into),)
    _check(values, shape, tensor)
    _put(into, 0, values, shape)


# Return the number of values; None for a number.
def _length(values):
    try:
        return len(values)
    except TypeError:
        return None


def _check(values, shape, tensor):
    if _length(values) != (shape[0] if shape else None):
        _raise_wrong(tensor, "the shape %s" % (tensor.shape,), values)
    if shape:
        for value in values:
            _check(value, shape[1:], tensor)
        return
    cell = array(typecode(tensor.dtype), (0,))
    try:
        cell[0] = values
    except (TypeError, OverflowError):
        cell = ()
    is_float = tensor.dtype[:5] == "float"
    if not cell or cell[0] != values and not is_float:
        _raise_wrong(tensor, tensor.dtype, values)


def _raise_wrong(tensor, wanted, values):
    raise ValueError(
        "tensor '%s' needs %s, got %r; pass values of its type" % (tensor.name, wanted, values)
    )


def _put(into, at, values, shape):
    if not shape:
        into[at] = values
        return at + 1
    for value in values:
        at = _put(into, at, value, shape[1:])
    return at


# Return real numbers in a form that Tensor.quantize() accepts.
def real(values):
    return values.tolist() if hasattr(values, "tolist") else values


# Return the real numbers of a Tensor, flat.
def floats(tensor):
    return tensor.dequantize()
