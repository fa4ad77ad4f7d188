# tflm_tools: as_int8: a float32 model as int8, to estimate what a conversion brings
# MIT license; Copyright (c) 2026 the tflm authors

import copy
import math
import struct

from tflm import dtypes
from tflm.errors import TflmError

from ..model.graph import Graph, Numbers
from ..model.schema import op_name
from .memory.node_costs import NodeCostTable

# Scales are powers of 2, so that the scale of a bias is exact.
_SCALE, _WEIGHT_SCALE = 1 / 16, 1 / 128
_ZERO_POINT = -5
# Operators of which TFLM requires these scales and zero points of the output.
_FIXED = {
    "SOFTMAX": (1 / 256, -128),
    "LOGISTIC": (1 / 256, -128),
    "LOG_SOFTMAX": (1 / 16, 127),
    "TANH": (1 / 128, 0),
    "L2_NORMALIZATION": (1 / 128, 0),
}
# Operators with weights: (position of the weights, of the bias, dimension of the channels).
_WITH_WEIGHTS = {
    "CONV_2D": (1, 2, 0),
    "DEPTHWISE_CONV_2D": (1, 2, 3),
    "FULLY_CONNECTED": (1, 2, None),
    "TRANSPOSE_CONV": (1, 3, 0),
}


def as_int8(model):
    """Return (a Graph of the same operators in int8, their numbers).

    model: a Graph or a TfliteModel in float32. Operators that Prepare refuses in int8 stay as they
    are, as LSTM, which needs more tensors.
    """
    graph = copy.copy(model) if isinstance(model, Graph) else Graph(model)
    graph.subgraphs = [copy.copy(subgraph) for subgraph in graph.subgraphs]
    tensors, found, table = {}, set(), NodeCostTable(graph)
    for subgraph in graph.running():
        subgraph.nodes = list(subgraph.nodes)
        for at, node in enumerate(subgraph.nodes):
            other = _int8_node(node, tensors)
            try:
                table.of(other)
            except TflmError:
                continue
            subgraph.nodes[at] = other
            found.add(node.index)
    return graph, found


# A copy of a node whose float32 tensors are int8. tensors: {number: int8 tensor}.
def _int8_node(node, tensors):
    name, other = op_name(node), copy.copy(node)
    weights, bias, dimension = _WITH_WEIGHTS.get(name, (None, None, None))
    fixed = _FIXED.get(name, (_SCALE, _ZERO_POINT))

    def converted(tensor, make):
        if tensor is None or tensor.dtype != dtypes.FLOAT32:
            return tensor
        if tensor.index not in tensors:
            tensors[tensor.index] = make(tensor)
        return tensors[tensor.index]

    def activation(tensor):
        return _int8_tensor(tensor, _SCALE, _ZERO_POINT)

    def parameters(tensor):
        if tensor.data is None:
            return activation(tensor)
        channels = 1 if dimension is None else tensor.shape[dimension]
        return _int8_tensor(tensor, _WEIGHT_SCALE, 0, channels, dimension or 0)

    def sums(tensor):
        result = copy.copy(tensor)
        result.dtype = dtypes.INT32
        result.data = tensor.data and bytes(tensor.nbytes())
        count = tensor.elements() if dimension is not None else 1
        _quantize(result, _SCALE * _WEIGHT_SCALE, 0, count, 0)
        return result

    roles = {weights: parameters, bias: sums}
    other.inputs = [converted(t, roles.get(i, activation)) for i, t in enumerate(node.inputs)]
    other.outputs = [
        converted(t, lambda tensor: _int8_tensor(tensor, *fixed)) for t in node.outputs
    ]
    return other


def _int8_tensor(tensor, scale, zero_point, channels=1, dimension=0):
    result = copy.copy(tensor)
    result.dtype = dtypes.INT8
    _quantize(result, scale, zero_point, channels, dimension)
    itemsize = dtypes.itemsize(dtypes.FLOAT32)
    if tensor.view_of is not None:
        result.view_of = tensor.view_of[0], tensor.view_of[1] // itemsize
    if tensor.step is not None:
        result.step = tensor.step // itemsize
    if tensor.data is not None:
        result.data = _rounded(tensor.data)
    return result


# Constants of float32 as int8. Kernels depend on the weights, which must not be too large.
def _rounded(data):
    values = memoryview(bytes(data)).cast("f")
    largest = max(map(abs, values), default=0)
    if not 0 < largest < math.inf:
        return bytes(len(values))
    return bytes(round(127 * value / largest) & 0xFF for value in values)


def _quantize(tensor, scale, zero_point, count, dimension):
    bits = struct.unpack("<I", struct.pack("<f", scale))[0]
    tensor.set_quantization(Numbers([bits] * count), Numbers([zero_point] * count), dimension)
