# tflm_tools: macs: counts the multiply-accumulates of an operator from the shapes of its tensors
# MIT license; Copyright (c) 2026 the tflm authors

from math import prod

from tflm.introspection.op_names import name

from .schema import option


# Each output element requires one filter.
def _conv(node):
    return node.output(0).elements() * prod(node.input(1).shape[1:])


# Each output element requires one channel of the filter.
def _depthwise(node):
    return node.output(0).elements() * prod(node.input(1).shape[1:3])


# Each output element requires one row of the weights.
def _fully_connected(node):
    return node.output(0).elements() * node.input(1).shape[-1]


# Each input element is multiplied with the filters of all output channels.
def _transpose_conv(node):
    return node.input(2).elements() * prod(node.input(1).shape[:3])


# Each output element requires as many as the dimension that both inputs share.
def _batch_matmul(node):
    transposed = option(node, "ADJ_X", "B")
    return node.output(0).elements() * node.input(0).shape[-2 if transposed else -1]


# Each batch is multiplied with two matrices: the feature filters and the time filters.
def _svdf(node):
    return node.input(0).shape[0] * (node.input(1).elements() + node.input(2).elements())


# Each step computes four gates, each with a matrix for the input and a matrix for the state.
def _lstm(node):
    weights = [node.optional_input(i) for i in range(1, 9)]
    steps = prod(node.input(0).shape[:-1])
    return steps * sum(tensor.elements() for tensor in weights if tensor is not None)


_COUNTS = {
    "BATCH_MATMUL": _batch_matmul,
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "FULLY_CONNECTED": _fully_connected,
    "SVDF": _svdf,
    "TRANSPOSE_CONV": _transpose_conv,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": _lstm,
}


def macs(node):
    """Return the multiply-accumulates of a node in one invoke; 0 for operators without any."""
    count = _COUNTS.get(name(node.builtin_code))
    return count(node) if count else 0
