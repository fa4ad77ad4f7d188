# tflm_tools: weights that a file has in fewer bits become int8: int4, and tables of TFLM_DECODE
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
_LUT = 0  # the kind of compression that has a table of values


def apply(graph):
    """Give layers of a Graph int8 constants for such weights: the ids of these layers' nodes.

    A TFLM_DECODE that is left without outputs goes. Prepare has found the model sound.
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
    return weights is not None and weights.dtype == dtypes.INT4 and weights.is_constant()


# Weights of int4, the first one in the lower half of a byte.
def _widen(subgraph, node):
    weights = node.inputs[1]
    nibbles = [n for byte in bytes(weights.data) for n in (byte & 15, byte >> 4)]
    values = [(n ^ 8) - 8 for n in nibbles[: weights.elements()]]
    data = struct.pack(f"<{len(values)}b", *values)
    wide = subgraph.new_tensor(weights.name, dtypes.INT8, weights.shape, data, like=weights)
    node.inputs = [node.inputs[0], wide, *node.inputs[2:]]


# Outputs of a TFLM_DECODE that are weights and nothing else; the ids of the nodes that read them.
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


# True when an output of a TFLM_DECODE is int8 of a table, the weights of layers and nothing else.
def _is_table(subgraph, node, i, target):
    kind = bytes(node.inputs[2 * i + 1].data)[0]
    if kind != _LUT or target.dtype != dtypes.INT8 or subgraph.is_output(target):
        return False
    readers = subgraph.consumers(target)
    return bool(readers) and all(_weighs(each, target) for each in readers)


# True when a node reads a tensor as its weights only.
def _weighs(node, tensor):
    places = [i for i, each in enumerate(node.inputs) if each is tensor]
    return node.builtin_code in _LAYERS and places == [1]
