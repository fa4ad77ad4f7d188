# tflm: Compute small integer tensors that depend on shapes alone, for shapes.py.
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from ..prepare.common import positive_axis, product
from ..prepare.strided import strides_of
from ..prepare.strided_slice import index_ranges

_ADD = const(0)
_CONCATENATION = const(2)
_MUL = const(18)
_RESHAPE = const(22)
_GATHER = const(36)
_SUB = const(41)
_SQUEEZE = const(43)
_STRIDED_SLICE = const(45)
_SPLIT = const(49)
_CAST = const(53)
_MAXIMUM = const(55)
_MINIMUM = const(57)
_SLICE = const(65)
_SPARSE_TO_DENSE = const(68)
_EXPAND_DIMS = const(70)
_EQUAL = const(71)
_SUM = const(74)
_SHAPE = const(77)
_REDUCE_PROD = const(81)
_PACK = const(83)
_UNPACK = const(88)
_FLOOR_DIV = const(90)
_FILL = const(94)
_FLOOR_MOD = const(95)
_RANGE = const(96)
_SPLIT_V = const(102)
_WHERE = const(109)
_RANK = const(110)

_STRIDED_SLICE_OPTIONS = const(32)  # StridedSliceOptions
_ELLIPSIS_MASK = const(2)
_NEW_AXIS_MASK = const(3)

_MAX_ELEMENTS = 64  # of a tensor that holds a shape
_TYPES = (dtypes.INT32, dtypes.INT64, dtypes.BOOL)


# Return the numbers of a constant tensor as a list; None if they are unknown.
def integers(tensor):
    if tensor is None or tensor.dtype not in _TYPES or tensor.elements() > _MAX_ELEMENTS:
        return None
    if not tensor.elements():
        return []
    if not tensor.is_constant():
        return None
    kind = "<%d%s" % (tensor.elements(), dtypes.typecode(tensor.dtype))
    return list(struct.unpack_from(kind, bytes(tensor.data)))


def _shape_of(node, _values):
    return list(node.input(0).shape)


def _rank_of(node, _values):
    return [len(node.input(0).shape)]


def _unchanged(_node, values):
    return values[0]


# Concatenate along the first axis.
def _concatenated(node, values):
    from ..prepare.concatenation import axis_of

    return _joined(values) if axis_of(node) == 0 else None


def _packed(node, values):
    from ..prepare.pack import axis_of

    return _joined(values) if axis_of(node) == 0 else None


def _joined(values):
    return [number for numbers in values for number in numbers]


def _strided_slice(node, values):
    options = node.options(_STRIDED_SLICE_OPTIONS)
    if options.get(_ELLIPSIS_MASK, "i") or options.get(_NEW_AXIS_MASK, "i"):
        return None
    taken, strides = index_ranges(node), strides_of(node.input(0).shape)
    positions = [0]
    for (first, count, step, _), stride in zip(taken, strides):
        positions = [at + (first + i * step) * stride for at in positions for i in range(count)]
    return [values[0][at] for at in positions]


def _slice(node, values):
    begin, size = values[1][0], values[2][0]
    if len(node.input(0).shape) != 1 or begin < 0:
        return None
    return values[0][begin:] if size < 0 else values[0][begin : begin + size]


def _gather(node, values):
    if len(node.input(0).shape) != 1 or min(values[1], default=0) < 0:
        return None
    return [values[0][i] for i in values[1]]


# Return a function of two lists of numbers, either of which may be one number.
def _binary(function):
    def compute(_node, values):
        a, b = values
        count = 0 if not a or not b else max(len(a), len(b))
        return [function(a[i % len(a)], b[i % len(b)]) for i in range(count)]

    return compute


# Return a reduction of all elements.
def _reduced(function):
    def compute(node, values):
        rank = len(node.input(0).shape)
        axes = {positive_axis(node, axis, rank) for axis in values[1]}
        return [function(values[0])] if len(axes) == rank else None

    return compute


def _filled(_node, values):
    count = product(values[0])
    return values[1] * count if 0 <= count <= _MAX_ELEMENTS else None


def _range(_node, values):
    numbers = range(values[0][0], values[1][0], values[2][0])
    return list(numbers) if len(numbers) <= _MAX_ELEMENTS else None


# Return the positions of true elements, each as one index for each axis.
def _where(node, values):
    strides, shape = strides_of(node.input(0).shape), node.input(0).shape
    found = [at for at in range(len(values[0])) if values[0][at]]
    return [at // strides[i] % shape[i] for at in found for i in range(len(shape))]


# Put numbers into a list of another number.
def _sparse_to_dense(_node, values):
    positions, size, numbers, other = values
    if len(size) != 1 or not 0 <= size[0] <= _MAX_ELEMENTS or min(positions, default=0) < 0:
        return None
    result = other * size[0]
    for i, at in enumerate(positions):
        result[at] = numbers[i % len(numbers)]
    return result


_FUNCTIONS = {
    _ADD: _binary(lambda a, b: a + b),
    _CONCATENATION: _concatenated,
    _MUL: _binary(lambda a, b: a * b),
    _RESHAPE: _unchanged,
    _GATHER: _gather,
    _SUB: _binary(lambda a, b: a - b),
    _SQUEEZE: _unchanged,
    _STRIDED_SLICE: _strided_slice,
    _CAST: _unchanged,
    _MAXIMUM: _binary(max),
    _MINIMUM: _binary(min),
    _SLICE: _slice,
    _SPARSE_TO_DENSE: _sparse_to_dense,
    _EXPAND_DIMS: _unchanged,
    _EQUAL: _binary(lambda a, b: a == b),
    _SUM: _reduced(sum),
    _SHAPE: _shape_of,
    _REDUCE_PROD: _reduced(product),
    _PACK: _packed,
    _FLOOR_DIV: _binary(lambda a, b: a // b),
    _FILL: _filled,
    _FLOOR_MOD: _binary(lambda a, b: a % b),
    _RANGE: _range,
    _WHERE: _where,
    _RANK: _rank_of,
}
_BY_SHAPE = (_SHAPE, _RANK)  # the value of the input does not matter
# These functions are right for tensors of several dimensions, too, such as paddings.
_OF_ANY_RANK = (
    _CONCATENATION, _RESHAPE, _SQUEEZE, _STRIDED_SLICE, _CAST, _EXPAND_DIMS, _PACK, _WHERE,
)  # fmt: skip


# The position of the input of operators whose outputs are parts of it.
_SOURCES = {_SPLIT: 1, _SPLIT_V: 0, _UNPACK: 0}


# Return [(shape, bytes) of each output] of a node that computes with shapes alone; None for any
# other node. `rule_of`: the function of shapes.py.
def values_of(node, rule_of):
    if node.builtin_code in _SOURCES:
        return _parts_of(node, rule_of)
    value = _value_of(node, rule_of)
    return None if value is None else [value]


def _parts_of(node, rule_of):
    source = node.input(_SOURCES[node.builtin_code])
    numbers, rule = integers(source), rule_of(node)
    if numbers is None or rule is None or len(source.shape) != 1:
        return None
    found, at = [], 0
    for target, shape in zip(node.outputs, rule(node)):
        piece = numbers[at : at + product(shape)]
        if target is None or target.is_variable or target.dtype != source.dtype:
            return None
        if len(piece) != product(shape):
            return None
        at += len(piece)
        kind = "<%d%s" % (len(piece), dtypes.typecode(source.dtype))
        found.append((tuple(shape), struct.pack(kind, *piece)))
    return found if at == len(numbers) else None


def _value_of(node, rule_of):
    code = node.builtin_code
    if code not in _FUNCTIONS or len(node.outputs) != 1 or node.outputs[0] is None:
        return None
    target = node.output(0)
    if target.dtype not in _TYPES or target.is_variable:
        return None
    values = None
    if code not in _BY_SHAPE:
        values = [integers(tensor) for tensor in node.inputs if tensor is not None]
        if None in values or not values:
            return None
    numbers = _FUNCTIONS[code](node, values)
    if numbers is None or len(numbers) > _MAX_ELEMENTS:
        return None
    if code == _WHERE:
        rank = len(node.input(0).shape)
        shape = len(numbers) // max(1, rank), rank
    else:
        rule = rule_of(node)
        shape = rule(node)[0] if rule else (len(numbers),) * len(target.shape)
    if len(shape) > 1 and code not in _OF_ANY_RANK or product(shape) != len(numbers):
        return None
    bits = 8 * dtypes.itemsize(target.dtype)
    limit = 1 << (bits - 1)
    wrapped = [((number + limit) & ((1 << bits) - 1)) - limit for number in numbers]
    kind = "<%d%s" % (len(numbers), dtypes.typecode(target.dtype))
    return tuple(shape), struct.pack(kind, *wrapped)
