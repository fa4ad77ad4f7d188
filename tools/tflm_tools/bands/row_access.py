# tflm_tools: row access: which operators can compute some of their rows, from which input rows
# MIT license; Copyright (c) 2026 the tflm authors

from dataclasses import dataclass, replace
from math import gcd

from tflm import dtypes

from ..model.schema import BuiltinOperator, option
from .operators.fully_connected_rows import CODE as FULLY_CONNECTED
from .operators.fully_connected_rows import fully_connected_reduction_of
from .operators.input_rows import CODE as INPUT_ROWS
from .operators.padded_rows import CODES as PADS
from .operators.padded_rows import paddings_of
from .operators.pool_rows import CODES as POOLS
from .operators.pool_rows import pool_reduction_of
from .operators.repeated_rows import repeats_pixels
from .operators.resized_rows import CODE as RESIZE
from .operators.resized_rows import input_rows_of
from .row_windows import (
    ListedRows,
    SlidingRows,
    UpsampledRows,
    sliding_rows_of,
    upsampled_rows_of,
)

# Operators that compute each element separately, of one tensor or of two, and those that compute
# each vector along the last dimension separately. A test compares them with the kernels' checks.
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
_CONVOLUTIONS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.TRANSPOSE_CONV,
)
_REDUCED = dtypes.INT8, dtypes.FLOAT32  # of operators that reduce the inside of each row
_BY_ELEMENTS = UNARY | BINARY | VECTORS
_WINDOWS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.AVERAGE_POOL_2D,
    BuiltinOperator.MAX_POOL_2D,
)


@dataclass(frozen=True)
class RowAccess:
    """How an operator computes its output row by row.

    rows: which input rows each output row needs. inputs: positions of the inputs that are read by
    rows; other inputs are read as a whole for each row. axis: the dimension of rows.
    has_windows: a node for some rows needs a padding of its own.
    is_reduction: the output is computed from all rows; a row is not needed again once it has been
    added to the sums.
    """

    rows: SlidingRows | UpsampledRows | ListedRows
    inputs: tuple
    axis: int
    has_windows: bool = False
    is_reduction: bool = False


def row_access_of(node):
    """Return the RowAccess of an operator that can run in bands, or None.

    Its rows must be the outermost dimension of its tensors that is not 1.
    """
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return None
    target = node.outputs[0]
    if node.builtin_code == INPUT_ROWS:
        return _aligned(RowAccess(_one_to_one(target.shape[1]), (), 1), node)
    if target.is_constant() or target.is_variable or not target.elements():
        return None
    if any(t is not None and t.is_variable for t in node.inputs):
        return None
    if getattr(node, "is_whole", False):
        return None
    if node.builtin_code == BuiltinOperator.DEQUANTIZE and node.inputs[0].scales_length() > 1:
        return None  # a second record multiplies by the scales of all channels
    access_of = _ACCESSES.get(node.builtin_code)
    access = None if access_of is None else access_of(node, target)
    return access and _aligned(access, node)


# A RowAccess whose bands begin at multiples of 4 bytes only, if some rows do and others do not.
def _aligned(access, node):
    if access.is_reduction or not isinstance(access.rows, SlidingRows):
        return access
    inputs = [node.inputs[position] for position in access.inputs]
    tensors = (node.outputs[0], *inputs)
    alignment, *input_alignments = (_row_alignment(t, access.axis) for t in tensors)
    rows = replace(
        access.rows, alignment=alignment, input_alignment=max(input_alignments, default=1)
    )
    return replace(access, rows=rows) if rows.rounded_up(1) < rows.output_rows else access


# After how many rows of a tensor a multiple of 4 bytes comes again.
def _row_alignment(tensor, axis):
    return 4 // gcd(tensor.nbytes() // tensor.shape[axis], 4)


# Rows of an output, each of which needs the same row of the input.
def _one_to_one(count):
    return SlidingRows(1, count, count, 1, 1, 0, (0, 0, 0, 0))


# The outermost dimension that is not 1, or None.
def _row_axis(shape):
    return next((i for i, size in enumerate(shape) if size > 1), None)


# Each function below returns the RowAccess of a node with the output `target`, or None.


def _elementwise(node, target):
    axis = _row_axis(target.shape)
    if axis is None or axis == len(target.shape) - 1:
        return None
    rank = len(target.shape) - axis  # from the rows on
    by_rows = []
    for i, tensor in enumerate(node.inputs):
        if tensor.elements() == target.elements() and not tensor.is_constant():
            if tensor.shape != target.shape:
                return None
            by_rows.append(i)
        elif _is_broadcast_inside_rows(tensor, target, axis):
            by_rows.append(i)
        elif len(tensor.shape) >= rank and tensor.shape[-rank] != 1:
            return None  # other values for each row
    return RowAccess(_one_to_one(target.shape[axis]), tuple(by_rows), axis) if by_rows else None


# True for a tensor that has the rows of another one, with fewer values in each row.
def _is_broadcast_inside_rows(tensor, target, axis):
    if tensor.is_constant() or len(tensor.shape) != len(target.shape):
        return False
    return tensor.shape[: axis + 1] == target.shape[: axis + 1]


# A CONCATENATION inside each row.
def _concatenation(node, target):
    axis, rank = _row_axis(target.shape), len(target.shape)
    joined = option(node, "AXIS", "i")
    if axis is None or not axis < (joined + rank if joined < 0 else joined) < rank:
        return None
    if any(t is None or t.is_constant() or not t.elements() for t in node.inputs):
        return None
    if len(set(map(id, node.inputs))) < len(node.inputs):
        return None
    return RowAccess(_one_to_one(target.shape[axis]), tuple(range(len(node.inputs))), axis)


# reduction: from operators/reduced_rows.py, or None.
def _reduction(reduction):
    if reduction is None:
        return None
    input_rows = reduction.source.shape[reduction.axis]
    rows = SlidingRows(1, input_rows, 1, reduction.rows, 1, 0, (0, 0, 0, 0))
    return RowAccess(rows, (0,), reduction.axis, is_reduction=True)


# A GATHER of blocks of a tensor that is read as a whole, for each row of indices.
def _gather(node, target):
    axis, indices = _row_axis(target.shape), node.inputs[1]
    if option(node, "AXIS", "i") or option(node, "BATCH_DIMS", "i") or indices.is_constant():
        return None
    rank = len(indices.shape)
    if axis is None or axis >= rank or target.shape[:rank] != indices.shape:
        return None
    if axis == len(target.shape) - 1:
        return None
    return RowAccess(_one_to_one(target.shape[axis]), (1,), axis)


# A pool or sum over the whole picture, over windows, or inside each row.
def _pool(node, target):
    source, reduction = node.inputs[0], pool_reduction_of(node)
    if reduction is not None:
        return _reduction(reduction)
    if node.builtin_code in _WINDOWS:
        return _windows(node, target)
    axis = _row_axis(source.shape)
    if axis is None or source.dtype not in _REDUCED or source.is_constant():
        return None
    rows = source.shape[: axis + 1]
    return (
        RowAccess(_one_to_one(rows[-1]), (0,), axis) if target.shape[: axis + 1] == rows else None
    )


# The axis of rows of a picture operator of batch 1, whose picture is input `position`; 2 if the
# pictures have a single row. None for other tensors.
def _picture_axis(node, position, target):
    source = node.inputs[position]
    if source.is_constant() or len(source.shape) != 4 or len(target.shape) != 4:
        return None
    if source.shape[0] != 1 or target.shape[0] != 1 or not source.elements():
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs if t is not source):
        return None
    return 2 if source.shape[1] == target.shape[1] == 1 else 1


def _transposed_convolution(node, target):
    if len(node.inputs) not in (3, 4) or _is_hybrid(node):
        return None
    axis = _picture_axis(node, 2, target)
    rows = upsampled_rows_of(node, axis) if axis else None
    return None if rows is None else RowAccess(rows, (2,), axis)


# A RESIZE_NEAREST_NEIGHBOR by a whole number.
def _repetition(node, target):
    axis = _picture_axis(node, 0, target) if repeats_pixels(node) else None
    if axis is None:
        return None
    input_rows, output_rows = node.inputs[0].shape[axis], target.shape[axis]
    repeats = output_rows // input_rows
    rows = UpsampledRows(input_rows, output_rows, repeats, repeats, 0, is_block=True)
    return RowAccess(rows, (0,), axis)


def _resize(node, target):
    axis = _picture_axis(node, 0, target)
    input_rows = input_rows_of(node, axis) if axis else None
    if input_rows is None:
        return None
    return RowAccess(ListedRows(node.inputs[0].shape[axis], *input_rows), (0,), axis)


# A PAD or PADV2 of a variable tensor by a constant value, with several elements in each row.
def _pad(node, target):
    source, axis = node.inputs[0], _row_axis(target.shape)
    if source.is_constant() or not source.elements() or axis is None:
        return None
    if any(t is not None and not t.is_constant() for t in node.inputs[1:]):
        return None
    if axis == len(target.shape) - 1:
        return None
    sides, before = (source.shape[axis], target.shape[axis]), paddings_of(node)[axis][0]
    return RowAccess(SlidingRows(1, *sides, 1, 1, before, (0, 0, 0, 0)), (0,), axis)


def _windows(node, target):
    axis = None if _is_hybrid(node) else _picture_axis(node, 0, target)
    rows = sliding_rows_of(node, axis) if axis else None
    return None if rows is None else RowAccess(rows, (0,), axis, True)


# True for hybrid operators. They scale all inputs by the least and the greatest one, so some rows
# alone would be rounded differently.
def _is_hybrid(node):
    if node.builtin_code not in _CONVOLUTIONS:
        return False
    return node.outputs[0].dtype == dtypes.FLOAT32 and node.inputs[1].dtype != dtypes.FLOAT32


_ACCESSES = dict.fromkeys(_BY_ELEMENTS, _elementwise)
_ACCESSES |= dict.fromkeys(_WINDOWS, _windows) | dict.fromkeys(POOLS, _pool)
_ACCESSES |= dict.fromkeys(PADS, _pad)
_ACCESSES |= {
    BuiltinOperator.CONCATENATION: _concatenation,
    BuiltinOperator.GATHER: _gather,
    BuiltinOperator.RESIZE_NEAREST_NEIGHBOR: _repetition,
    BuiltinOperator.TRANSPOSE_CONV: _transposed_convolution,
    FULLY_CONNECTED: lambda node, target: _reduction(fully_connected_reduction_of(node)),
    RESIZE: _resize,
}
