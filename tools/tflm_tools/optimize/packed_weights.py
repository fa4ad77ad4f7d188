# tflm_tools: packed_weights: unpacks weights of fewer than 8 bits (int4, TFLM_DECODE) to int8
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes

from ..model.schema import BuiltinOperator
from .evaluation import evaluate

_LAYERS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.FULLY_CONNECTED,
)
_DECODE = "TFLM_DECODE"
_LUT = 0  # TFLM_DECODE's type of compression by a table of values


def apply(graph):
    """Replace packed weights in a Graph by int8 constants; returns the ids of the changed nodes.

    A TFLM_DECODE without remaining outputs is removed. Prepare must have checked the model.
    """
    found = set()
    for subgraph in graph.running():
        for node in list(subgraph.nodes):
            if node.builtin_code in _LAYERS and _is_int4(node):
                _widen(subgraph, node)
                found.add(id(node))
            elif node.custom_name == _DECODE:
                found |= _decode(graph, subgraph, node)
    return found


def _is_int4(node):
    weights = node.inputs[1]
    if weights is None or weights.blocks:
        return False
    return weights.dtype == dtypes.INT4 and weights.is_constant()


# Unpack int4 weights; the lower half of a byte holds the first of its two weights.
def _widen(subgraph, node):
    weights = node.inputs[1]
    nibbles = [n for byte in bytes(weights.data) for n in (byte & 15, byte >> 4)]
    values = [(n ^ 8) - 8 for n in nibbles[: weights.elements()]]
    data = struct.pack(f"<{len(values)}b", *values)
    wide = subgraph.new_tensor(weights.name, dtypes.INT8, weights.shape, data, like=weights)
    node.inputs = [node.inputs[0], wide, *node.inputs[2:]]


# Compute the outputs of a TFLM_DECODE that are only used as weights. Returns the ids of the nodes
# that read them.
def _decode(graph, subgraph, node):
    tables = [i for i, target in enumerate(node.outputs) if _is_table(subgraph, node, i, target)]
    values = evaluate(graph, subgraph, [node]) if tables else None
    if values is None:
        return set()
    found = set()
    for i in tables:
        target = node.outputs[i]
        target.data = values[target.index]
        found.update(map(id, subgraph.consumers(target)))
    others = [i for i in range(len(node.outputs)) if i not in tables]
    node.inputs = [tensor for i in others for tensor in node.inputs[2 * i : 2 * i + 2]]
    node.outputs = [node.outputs[i] for i in others]
    if not others:
        subgraph.remove(node)
    return found


# True when an output of a TFLM_DECODE is int8, decoded by a table, and only used as weights.
def _is_table(subgraph, node, i, target):
    kind = bytes(node.inputs[2 * i + 1].data)[0]
    if kind != _LUT or target.dtype != dtypes.INT8 or subgraph.is_output(target):
        return False
    readers = subgraph.consumers(target)
    return bool(readers) and all(_reads_as_weights(each, target) for each in readers)


# True when a node reads a tensor only as its weights.
def _reads_as_weights(node, tensor):
    positions = [i for i, each in enumerate(node.inputs) if each is tensor]
    return node.builtin_code in _LAYERS and positions == [1]
