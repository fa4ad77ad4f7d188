# tflm_tools: facts of operators on which their cycles depend: types, zeros of a RELU, padding
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.prepare.add import _OPTIONS as _ADD_OPTIONS
from tflm.prepare.common import RELU, RELU6
from tflm.prepare.elementwise import _FUSED_ACTIVATION_FUNCTION as _ACTIVATION

from ..model.macs import macs
from ..model.schema import op_name, option

FLOAT32, HYBRID, INT16 = "float32", "hybrid", "int16"  # kinds of dtype_of()

_WITH_ROWS = "CONV_2D", "DEPTHWISE_CONV_2D"
_COPIES = (
    "CONCATENATION", "BATCH_TO_SPACE_ND", "BROADCAST_TO", "DEPTH_TO_SPACE", "MIRROR_PAD", "PACK",
    "PAD", "PADV2", "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "SLICE", "SPACE_TO_BATCH_ND",
    "SPACE_TO_DEPTH", "SPLIT", "SPLIT_V", "STRIDED_SLICE", "TILE", "TRANSPOSE", "UNPACK",
)  # fmt: skip
# They move no bytes: their output is the memory of their input.
_WITHOUT_KERNEL = "RESHAPE", "SQUEEZE", "EXPAND_DIMS"
_WITH_ACTIVATION = (*_WITH_ROWS, "FULLY_CONNECTED", "TRANSPOSE_CONV")
_WITH_ZEROS_OF_INPUTS = *_WITHOUT_KERNEL, *_COPIES, "ADD"


def dtype_of(node):
    """Return FLOAT32, HYBRID or INT16; None for int8 and integers.

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
