# tflm_tools: weights that a file has in fewer bits become int8: int4, and tables of TFLM_DECODE
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes

from ..model.schema import BuiltinOperator

_LAYERS = (
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.FULLY_CONNECTED,
)
_DECODE = "TFLM_DECODE"
_LUT = 0  # the kind of compression that has a table of values
_HEADER = 16  # bytes before them


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
                found |= _decode(subgraph, node)
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
def _decode(subgraph, node):
    inputs, outputs, found = [], [], set()
    for i, target in enumerate(node.outputs):
        pair = node.inputs[2 * i : 2 * i + 2]
        readers = subgraph.consumers(target)
        alone = readers and all(_weighs(each, target) for each in readers)
        if alone and _is_table(pair[1], target) and not subgraph.is_output(target):
            target.data = _values(*pair, target)
            found.update(map(id, readers))
        else:
            inputs += pair
            outputs.append(target)
    node.inputs, node.outputs = inputs, outputs
    if not outputs:
        subgraph.remove(node)
    return found


def _is_table(ancillary, target):
    return target.dtype == dtypes.INT8 and bytes(ancillary.data)[0] == _LUT


# True when a node reads a tensor as its weights only.
def _weighs(node, tensor):
    places = [i for i, each in enumerate(node.inputs) if each is tensor]
    return node.builtin_code in _LAYERS and places == [1]


# What kernels/decode_lut.py makes: indices of some bits, the highest first, into a table of each
# channel.
def _values(source, ancillary, target):
    bits, stride = bytes(ancillary.data)[5] & 7, bytes(ancillary.data)[6]
    table = bytes(ancillary.data)[_HEADER:]
    count = max(1, target.scales_length())
    inner = max(1, target.elements() // count)
    if count > 1 and target.quantized_dimension == len(target.shape) - 1:
        inner = 1
    stream, total = int.from_bytes(bytes(source.data), "big"), 8 * source.nbytes()
    table += bytes(count * stride + (1 << bits))  # indices beyond the end are zeros
    digits = bin(stream)[2:].zfill(total)
    return bytes(
        table[i // inner % count * stride + int(digits[bits * i : bits * (i + 1)], 2)]
        for i in range(target.elements())
    )
