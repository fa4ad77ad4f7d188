# tflm_tools: estimates the cycles of operators on float32, int16 and hybrid models for each target
# MIT license; Copyright (c) 2026 the tflm authors

from collections import namedtuple

from tflm import dtypes
from tflm.prepare.common import RELU, RELU6

from ...model.macs import macs
from ...model.schema import op_name, option
from .fitted_costs import FITTED_COSTS, PORTABLE

FLOAT32, HYBRID, INT16 = "float32", "hybrid", "int16"  # kinds of dtype_of()

# Cycles of an operator: for each multiply-accumulate; for each one if a RELU wrote the input, in
# which half of the values are 0; for each element of the output, row of the filter for such an
# element, position of the output (all channels), and element of the input; for the operator.
DtypeCost = namedtuple("DtypeCost", "mac rectified element row pixel source whole")

_WITH_ROWS = "CONV_2D", "DEPTHWISE_CONV_2D"
_WITH_ACTIVATION = (*_WITH_ROWS, "FULLY_CONNECTED")


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


def rectified_nodes(nodes):
    """Return the numbers of the float32 nodes whose input a RELU wrote, reshaped or not."""
    tensors, found = set(), set()
    for node in nodes:
        if dtype_of(node) not in (FLOAT32, HYBRID):
            continue
        name, source = op_name(node), node.optional_input(0)
        has_zeros = source is not None and source.index in tensors
        if has_zeros:
            found.add(node.index)
        if name in _WITH_ACTIVATION:
            has_zeros = option(node, "FUSED_ACTIVATION_FUNCTION", "b") in (RELU, RELU6)
        elif name != "RESHAPE":
            has_zeros = name in ("RELU", "RELU6")
        if has_zeros:
            tensors.update(tensor.index for tensor in node.outputs if tensor is not None)
    return found


# The share of the cells of a filter that are in the image, over all positions on one side.
def _inside(size, outputs, cells):
    if outputs in [(size - cells) // stride + 1 for stride in range(1, size + 1)]:
        return 1  # without padding
    stride = max(1, round(size / outputs))
    padding = max(0, (outputs - 1) * stride + cells - size) // 2
    inside = 0
    for first in range(-padding, outputs * stride - padding, stride):
        inside += max(0, min(size, first + cells) - max(0, first))
    return inside / (outputs * cells)


def macs_inside(node):
    """Return about how many multiply-accumulates of a node have inputs inside of the image."""
    count = macs(node) or 0
    if count and op_name(node) in _WITH_ROWS:
        for side in (1, 2):
            sizes = (node.inputs[0], node.outputs[0], node.inputs[1])
            count *= _inside(*(tensor.shape[side] for tensor in sizes))
    return count


def dtype_cycles(node, target, is_rectified=False):
    """Return the estimated cycles of a node whose dtype_of() is not None, with the model in RAM.

    They are instructions of cores other than Cortex-M. target: None for portable kernels on a
    Cortex-M0+. is_rectified: a RELU wrote the input of the node.
    """
    outputs = [t for t in node.outputs if t is not None and dtypes.itemsize(t.dtype)]
    elements = sum(tensor.elements() for tensor in outputs)
    if not elements:
        return 0
    kind = dtype_of(node)
    table = FITTED_COSTS.get((kind, target), PORTABLE[kind])
    cost = DtypeCost(*(table.get(op_name(node)) or table["other"]))
    source, shape = node.optional_input(0), outputs[0].shape
    has_rows = op_name(node) in _WITH_ROWS
    cycles = (cost.rectified if is_rectified else cost.mac) * macs_inside(node)
    cycles += cost.element * elements + cost.whole
    cycles += cost.row * elements * (node.inputs[1].shape[1] if has_rows else 1)
    cycles += cost.pixel * elements // max(1, shape[-1] if shape else 1)
    return round(cycles + cost.source * (source.elements() if source is not None else 0))
