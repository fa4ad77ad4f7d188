# tflm_tools: estimates the cycles of operators on float32, int16 and hybrid models for each target
# MIT license; Copyright (c) 2026 the tflm authors

from collections import namedtuple

from tflm import dtypes
from tflm.prepare.add import _OPTIONS as _ADD_OPTIONS
from tflm.prepare.common import RELU, RELU6
from tflm.prepare.elementwise import _FUSED_ACTIVATION_FUNCTION as _ACTIVATION

from ...model.macs import macs
from ...model.schema import op_name, option
from .fitted_costs import FITTED_COSTS, PORTABLE

FLOAT32, HYBRID, INT16 = "float32", "hybrid", "int16"  # kinds of dtype_of()

# Cycles of an operator: for each multiply-accumulate; for each one if a RELU wrote the input, in
# which half of the values are 0; for each element of the output, vector of products (_vectors),
# position of the output (all channels), and element of the input; for the operator.
DtypeCost = namedtuple("DtypeCost", "mac rectified element vector pixel source whole")

_WITH_ROWS = "CONV_2D", "DEPTHWISE_CONV_2D"
_SPLIT = "CONV_2D", "TRANSPOSE_CONV"
_WITH_FPU = "armv7em", "mac16"  # targets
# Operators with one cost: FITTED_COSTS names the first of them.
_COPIES = (
    "CONCATENATION", "BATCH_TO_SPACE_ND", "BROADCAST_TO", "DEPTH_TO_SPACE", "MIRROR_PAD", "PACK",
    "PAD", "PADV2", "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "SLICE", "SPACE_TO_BATCH_ND",
    "SPACE_TO_DEPTH", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "TILE", "TRANSPOSE", "UNPACK",
)  # fmt: skip
_SAME_COSTS = (
    _COPIES, ("ABS", "NEG"), ("FLOOR", "CEIL", "ROUND"), ("MAXIMUM", "MINIMUM"), ("MEAN", "SUM"),
    ("REDUCE_MAX", "REDUCE_MIN"), ("RELU", "RELU6"), ("SIN", "COS"), ("SQRT", "RSQRT"),
)  # fmt: skip
_FIRST = {name: group[0] for group in _SAME_COSTS for name in group}
# They move no bytes: their output is the memory of their input.
_WITHOUT_KERNEL = "RESHAPE", "SQUEEZE", "EXPAND_DIMS"
# Names in FITTED_COSTS of operators that some kernels compute cell by cell of the filter.
_DEPTHWISE_BY_CELLS = "DEPTHWISE_CONV_2D by cells"
_MIN_DEPTHWISE_CHANNELS = 4
_POOLS = "AVERAGE_POOL_2D", "MAX_POOL_2D"
_BINARY = "ADD", "SUB", "MUL", "DIV"
_WITH_ACTIVATION = (*_WITH_ROWS, "FULLY_CONNECTED", "TRANSPOSE_CONV")
_WITH_ZEROS_OF_INPUTS = *_WITHOUT_KERNEL, *_COPIES, "ADD"


def dtype_of(node):
    """Return FLOAT32, HYBRID or INT16; None for operators whose cycles costs.py estimates.

    HYBRID: float32 with weights of int8.
    """
    types = [tensor.dtype for tensor in node.outputs if tensor is not None]
    if dtypes.FLOAT32 in types:
        weights = node.inputs[1] if len(node.inputs) > 1 else None
        is_hybrid = macs(node) and weights is not None and weights.dtype == dtypes.INT8
        return HYBRID if is_hybrid else FLOAT32
    return INT16 if dtypes.INT16 in types else None


# The tensors whose zeros the output has, too.
def _sources_of_zeros(node, name):
    if name == "TRANSPOSE_CONV":
        return [node.inputs[2]]
    return node.inputs[:2] if name == "ADD" else node.inputs[:1]


def rectified_nodes(nodes):
    """Return the numbers of the float32 nodes whose input a RELU wrote, copied or not."""
    tensors, found = set(), set()
    for node in nodes:
        if dtype_of(node) not in (FLOAT32, HYBRID):
            continue
        name = op_name(node)
        sources = _sources_of_zeros(node, name)
        has_zeros = all(source is not None and source.index in tensors for source in sources)
        if has_zeros and sources:
            found.add(node.index)
        if name in _WITH_ACTIVATION:
            has_zeros = option(node, "FUSED_ACTIVATION_FUNCTION", "b") in (RELU, RELU6)
        elif name == "ADD" and node.options(_ADD_OPTIONS).get(_ACTIVATION, "b") in (RELU, RELU6):
            has_zeros = True
        elif name not in _WITH_ZEROS_OF_INPUTS:
            has_zeros = name in ("RELU", "RELU6")
        if has_zeros:
            tensors.update(tensor.index for tensor in node.outputs if tensor is not None)
    return found


# The share of the cells of a filter that are in the image, over all positions on one side.
def _inside(size, outputs, cells, stride, dilation):
    reach = dilation * (cells - 1) + 1
    if outputs == (size - reach) // stride + 1:
        return 1  # without padding
    padding = max(0, (outputs - 1) * stride + reach - size) // 2
    inside = 0
    for first in range(-padding, outputs * stride - padding, stride):
        inside += sum(0 <= first + dilation * cell < size for cell in range(cells))
    return inside / (outputs * cells)


def macs_inside(node):
    """Return about how many multiply-accumulates of a node have inputs inside of the image."""
    count = macs(node) or 0
    if count and op_name(node) in _WITH_ROWS:
        for side, letter in ((1, "H"), (2, "W")):
            sizes = (node.inputs[0], node.outputs[0], node.inputs[1])
            stride = option(node, f"STRIDE_{letter}", "i")
            dilation = option(node, f"DILATION_{letter}_FACTOR", "i", 1)
            count *= _inside(*(tensor.shape[side] for tensor in sizes), stride, dilation)
    return count


# Return the name of the operator's cost.
def _cost_name(node):
    name = op_name(node)
    if name == "DEPTHWISE_CONV_2D":
        channels = node.outputs[0].shape[-1]
        if channels < _MIN_DEPTHWISE_CHANNELS or channels != node.inputs[0].shape[-1]:
            return _DEPTHWISE_BY_CELLS
    if name == "TRANSPOSE_CONV":
        return "CONV_2D"
    return _FIRST.get(name, name)


# Return how many vectors a kernel multiplies one by one: rows of filters, rows of a matrix whose
# columns are not contiguous. Other operators: elements.
def _vectors(node, elements, table=()):
    name, cost_name = op_name(node), _cost_name(node)
    if cost_name in table and cost_name == _DEPTHWISE_BY_CELLS:
        channels = node.inputs[0].shape[-1]
        return macs(node) // max(channels, node.outputs[0].shape[-1] // channels)
    if name in _WITH_ROWS:
        return elements * node.inputs[1].shape[1]
    if name == "TRANSPOSE_CONV":
        return elements * -(-node.inputs[1].shape[1] // option(node, "STRIDE_H", "i"))
    if name == "BATCH_MATMUL":
        is_contiguous = option(node, "ADJ_Y", "b")
        return 0 if is_contiguous else macs(node) // node.outputs[0].shape[-1]
    return elements


# Return how many elements of the input a kernel reads; windows of pools may overlap.
def _sources(node, elements):
    if op_name(node) in _POOLS:
        sides = [option(node, f"FILTER_{side}", "i") for side in ("HEIGHT", "WIDTH")]
        return elements * sides[0] * sides[1]
    source = node.optional_input(0)
    return source.elements() if source is not None else 0


# Whether the kernel of an operator works row by row; ADD and others do for an operand of one row.
def _by_position(node):
    if op_name(node) not in _BINARY:
        return True
    shapes = [tuple(tensor.shape) for tensor in node.inputs[:2] if tensor.elements() > 1]
    return len(set(shapes)) > 1


def split_of(node):
    """Return (number of convolutions, copied elements) of an operator that Prepare splits."""
    name, target = op_name(node), node.outputs[0]
    if name == "TRANSPOSE_CONV":
        phases = option(node, "STRIDE_H", "i") * option(node, "STRIDE_W", "i")
        return phases, target.elements() if phases > 1 else 0
    if name != "CONV_2D":
        return 1, 0
    source, weights = node.inputs[:2]
    count = source.shape[3] // weights.shape[3]
    if weights.shape[2] > 1:
        count *= max(1, option(node, "DILATION_W_FACTOR", "i", 1))
    return count, source.elements() + target.elements() if count > 1 else 0


# Return the cycles of the convolutions after the first one, and of the copies.
def _split_cycles(node, kind, target, table):
    if kind == FLOAT32 and target in _WITH_FPU and op_name(node) == "CONV_2D":
        return 0  # its kernels compute groups and dilation themselves
    count, elements = split_of(node)
    if count == 1:
        return 0
    convolution, copy = (
        DtypeCost(*table.get(name, table["other"])) for name in ("CONV_2D", _COPIES[0])
    )
    return (count - 1) * convolution.whole + copy.element * elements


def dtype_cycles(node, target, is_rectified=False):
    """Return the estimated cycles of a node whose dtype_of() is not None, with the model in RAM.

    They are instructions of cores other than Cortex-M. target: None for portable kernels on a
    Cortex-M0+. is_rectified: a RELU wrote the input of the node.
    """
    outputs = [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]
    elements = sum(tensor.elements() for tensor in outputs)
    name = op_name(node)
    if not elements or name in _WITHOUT_KERNEL:
        return 0
    kind = dtype_of(node)
    table = FITTED_COSTS.get((kind, target), PORTABLE[kind])
    cost = table.get(_cost_name(node)) or table.get(name) or table["other"]
    cost = DtypeCost(*cost)
    shape = outputs[0].shape
    cycles = (cost.rectified if is_rectified else cost.mac) * macs_inside(node)
    cycles += cost.element * elements + cost.whole
    cycles += cost.vector * _vectors(node, elements, table) if cost.vector else 0
    if _by_position(node):
        cycles += cost.pixel * elements // max(1, shape[-1] if shape else 1)
    if name in _SPLIT:
        cycles += _split_cycles(node, kind, target, table)
    return round(cycles + cost.source * _sources(node, elements))
