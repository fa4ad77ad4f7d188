# tflm_tools: which operators can run on some of their rows, and what these need of their inputs
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, replace
from math import gcd

from tflm import dtypes

from ...arena.windows import Listed, Rows, Spread, rows_of, spread_of
from ...image.connected_rows import CODE as CONNECTED
from ...image.connected_rows import connected_of
from ...image.padded_rows import CODES as PADS
from ...image.padded_rows import paddings_of
from ...image.parts import repeats
from ...image.pool_rows import CODES as POOLS
from ...image.pool_rows import pool_of
from ...image.resized_rows import CODE as RESIZE
from ...image.resized_rows import places_of
from ...image.rows import CODE as ROWS
from ...model.schema import BuiltinOperator, option

# Operators on each element by itself, of one tensor or of two, and on each vector along the last
# dimension; a rule holds them to the checks of their kernels.
UNARY = {
    BuiltinOperator.ABS,
    BuiltinOperator.CEIL,
    BuiltinOperator.COS,
    BuiltinOperator.DEQUANTIZE,
    BuiltinOperator.ELU,
    BuiltinOperator.EXP,
    BuiltinOperator.FLOOR,
    BuiltinOperator.GELU,
    BuiltinOperator.HARD_SWISH,
    BuiltinOperator.LEAKY_RELU,
    BuiltinOperator.LOG,
    BuiltinOperator.LOGISTIC,
    BuiltinOperator.NEG,
    BuiltinOperator.QUANTIZE,
    BuiltinOperator.RELU,
    BuiltinOperator.RELU6,
    BuiltinOperator.RELU_0_TO_1,
    BuiltinOperator.RELU_N1_TO_1,
    BuiltinOperator.ROUND,
    BuiltinOperator.RSQRT,
    BuiltinOperator.SIN,
    BuiltinOperator.SQRT,
    BuiltinOperator.SQUARE,
    BuiltinOperator.TANH,
}
BINARY = {
    BuiltinOperator.ADD,
    BuiltinOperator.DIV,
    BuiltinOperator.MAXIMUM,
    BuiltinOperator.MINIMUM,
    BuiltinOperator.MUL,
    BuiltinOperator.PRELU,
    BuiltinOperator.SQUARED_DIFFERENCE,
    BuiltinOperator.SUB,
}
VECTORS = {
    BuiltinOperator.L2_NORMALIZATION,
    BuiltinOperator.LOG_SOFTMAX,
    BuiltinOperator.SOFTMAX,
}
_REDUCED = dtypes.INT8, dtypes.FLOAT32  # inside of rows
_BY_ELEMENTS = UNARY | BINARY | VECTORS
_WINDOWS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.AVERAGE_POOL_2D,
    BuiltinOperator.MAX_POOL_2D,
)


@dataclass(frozen=True)
class ByRows:
    """An operator by rows: its Rows, which inputs (by position) it reads so, and along which axis.

    Other inputs it reads as a whole for each row. has_windows: its padding must be told. gathers:
    its only output is made of all rows, and none of them is needed again once it has been added.
    """

    rows: Rows | Spread | Listed
    inputs: tuple
    axis: int
    has_windows: bool = False
    gathers: bool = False


def by_rows(node):
    """The ByRows of an operator that can run in bands, or None when it cannot.

    Its rows must be the outermost dimension of its tensors that is not 1.
    """
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return None
    target = node.outputs[0]
    if node.builtin_code == ROWS:
        return _aligned(ByRows(_each(target.shape[1]), (), 1), node)
    if target.is_constant() or target.is_variable or not target.elements():
        return None
    if any(t is not None and t.is_variable for t in node.inputs):
        return None
    way = _WAYS.get(node.builtin_code)
    found = None if way is None else way(node, target)
    return found and _aligned(found, node)


# A ByRows whose bands end where the next one can begin, where some rows are at no multiple of 4
# bytes and others are.
def _aligned(found, node):
    if found.gathers or not isinstance(found.rows, Rows):
        return found
    inputs = [node.inputs[position] for position in found.inputs]
    each, *inner = (_one_in(tensor, found.axis) for tensor in (node.outputs[0], *inputs))
    rows = replace(found.rows, each=each, input_each=max(inner, default=1))
    return replace(found, rows=rows) if rows.whole(1) < rows.output_rows else found


# One in so many rows of a tensor is at a multiple of 4 bytes.
def _one_in(tensor, axis):
    return 4 // gcd(tensor.nbytes() // tensor.shape[axis], 4)


# Rows of which each is made of the one at its place.
def _each(count):
    return Rows(1, count, count, 1, 1, 0, (0, 0, 0, 0))


# The outermost dimension that is not 1, or None.
def _axis(shape):
    return next((i for i, size in enumerate(shape) if size > 1), None)


def _by_elements(node, target):
    axis = _axis(target.shape)
    if axis is None or axis == len(target.shape) - 1:
        return None
    rest = len(target.shape) - axis  # dimensions from the rows on
    found = []
    for i, tensor in enumerate(node.inputs):
        if tensor.elements() == target.elements() and not tensor.is_constant():
            if tensor.shape != target.shape:
                return None
            found.append(i)
        elif _has_its_rows(tensor, target, axis):
            found.append(i)
        elif len(tensor.shape) >= rest and tensor.shape[-rest] != 1:
            return None  # other values for each row
    return ByRows(_each(target.shape[axis]), tuple(found), axis) if found else None


# True for a tensor whose values each row of another one shares, or each pixel.
def _has_its_rows(tensor, target, axis):
    if tensor.is_constant() or len(tensor.shape) != len(target.shape):
        return False
    return tensor.shape[: axis + 1] == target.shape[: axis + 1]


# CONCATENATION of what lies side by side in each row.
def _joined(node, target):
    axis, rank = _axis(target.shape), len(target.shape)
    joined = option(node, "AXIS", "i")
    if axis is None or not axis < (joined + rank if joined < 0 else joined) < rank:
        return None
    if any(t is None or t.is_constant() or not t.elements() for t in node.inputs):
        return None
    if len(set(map(id, node.inputs))) < len(node.inputs):
        return None
    return ByRows(_each(target.shape[axis]), tuple(range(len(node.inputs))), axis)


# What makes its output of all rows, as image/gathered_rows.py tells.
def _gathered(how):
    if how is None:
        return None
    rows = Rows(1, how.source.shape[how.axis], 1, how.rows, 1, 0, (0, 0, 0, 0))
    return ByRows(rows, (0,), how.axis, gathers=True)


# GATHER of blocks of a tensor that it sees as a whole: a row of indices picks a row of the output.
def _picked(node, target):
    axis, indices = _axis(target.shape), node.inputs[1]
    if option(node, "AXIS", "i") or option(node, "BATCH_DIMS", "i") or indices.is_constant():
        return None
    rank = len(indices.shape)
    if axis is None or axis >= rank or target.shape[:rank] != indices.shape:
        return None
    if axis == len(target.shape) - 1:
        return None
    return ByRows(_each(target.shape[axis]), (1,), axis)


# A pool over the whole picture, over windows, or inside of each row.
def _pooled(node, target):
    source, pool = node.inputs[0], pool_of(node)
    if pool is not None:
        return _gathered(pool)
    if node.builtin_code in _WINDOWS:
        return _by_windows(node, target)
    axis = _axis(source.shape)
    if axis is None or source.dtype not in _REDUCED or source.is_constant():
        return None
    rows = source.shape[: axis + 1]
    return ByRows(_each(rows[-1]), (0,), axis) if target.shape[: axis + 1] == rows else None


# What one row of pictures of batch 1 is, of inputs `position`; None where these are no pictures.
def _pictures_axis(node, position, target):
    source = node.inputs[position]
    if source.is_constant() or len(source.shape) != 4 or len(target.shape) != 4:
        return None
    if source.shape[0] != 1 or target.shape[0] != 1 or not source.elements():
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs if t is not source):
        return None
    return 2 if source.shape[1] == target.shape[1] == 1 else 1


def _transposed(node, target):
    axis = _pictures_axis(node, 2, target) if len(node.inputs) in (3, 4) else None
    rows = spread_of(node, axis) if axis else None
    return None if rows is None else ByRows(rows, (2,), axis)


# RESIZE_NEAREST_NEIGHBOR by a whole number.
def _repeated(node, target):
    axis = _pictures_axis(node, 0, target) if repeats(node) else None
    if axis is None:
        return None
    count, many = node.inputs[0].shape[axis], target.shape[axis]
    each = many // count
    return ByRows(Spread(count, many, each, each, 0, together=True), (0,), axis)


def _resized(node, target):
    axis = _pictures_axis(node, 0, target)
    places = places_of(node, axis) if axis else None
    if places is None:
        return None
    return ByRows(Listed(node.inputs[0].shape[axis], *places), (0,), axis)


# PAD and PADV2 of what is not constant, by a value that is, with one row inside at least.
def _padded(node, target):
    source, axis = node.inputs[0], _axis(target.shape)
    if source.is_constant() or not source.elements() or axis is None:
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs[1:]):
        return None
    if axis == len(target.shape) - 1:
        return None
    count, many, top = source.shape[axis], target.shape[axis], paddings_of(node)[axis][0]
    return ByRows(Rows(1, count, many, 1, 1, top, (0, 0, 0, 0)), (0,), axis)


def _by_windows(node, target):
    axis = None if _looks_at_all(node) else _pictures_axis(node, 0, target)
    rows = rows_of(node, axis) if axis else None
    return None if rows is None else ByRows(rows, (0,), axis, True)


# True for hybrid operators: the least and the greatest of all inputs decide how each is rounded,
# so rows alone would give other results.
def _looks_at_all(node):
    if node.builtin_code not in (BuiltinOperator.CONV_2D, BuiltinOperator.DEPTHWISE_CONV_2D):
        return False
    return node.inputs[0].dtype == dtypes.FLOAT32 and node.inputs[1].dtype != dtypes.FLOAT32


_WAYS = dict.fromkeys(_BY_ELEMENTS, _by_elements)
_WAYS |= dict.fromkeys(_WINDOWS, _by_windows) | dict.fromkeys(POOLS, _pooled)
_WAYS |= dict.fromkeys(PADS, _padded)
_WAYS |= {
    BuiltinOperator.CONCATENATION: _joined,
    BuiltinOperator.GATHER: _picked,
    BuiltinOperator.RESIZE_NEAREST_NEIGHBOR: _repeated,
    BuiltinOperator.TRANSPOSE_CONV: _transposed,
    CONNECTED: lambda node, target: _gathered(connected_of(node)),
    RESIZE: _resized,
}
