# tflm_tools: input_limits: finds valid values of inputs that are indices, divisors or boxes
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from .schema import op_name, option

# Operators that copy values of these inputs unchanged to their output; None: of all inputs.
_MOVERS = {
    "BROADCAST_TO": (0,),
    "CAST": (0,),
    "CONCATENATION": None,
    "EXPAND_DIMS": (0,),
    "MAXIMUM": None,
    "MINIMUM": None,
    "PACK": None,
    "QUANTIZE": (0,),
    "RESHAPE": (0,),
    "SELECT": (1, 2),
    "SELECT_V2": (1, 2),
    "SLICE": (0,),
    "SPLIT": (1,),
    "SPLIT_V": (0,),
    "SQUEEZE": (0,),
    "STRIDED_SLICE": (0,),
    "TILE": (0,),
    "TRANSPOSE": (0,),
    "UNPACK": (0,),
}
_INTEGERS = (dtypes.INT32, dtypes.INT64)
_DIVISORS = (1, 9)  # of integers; a division by zero is an error
_BOX = (-4.0, 4.0)  # box encodings: beyond these values a box is empty or overflows


# [(tensor, lowest, highest)] of the operands of a node whose values are limited.
def _operands(node):
    op = op_name(node)
    if op == "EMBEDDING_LOOKUP":
        return [(node.input(0), 0, node.input(1).shape[0] - 1)]
    if op == "GATHER":
        shape = node.input(0).shape
        axis = option(node, "AXIS", "i")
        return [(node.input(1), 0, shape[axis] - 1)] if -len(shape) <= axis < len(shape) else []
    if op == "GATHER_ND":
        table, indices = node.input(0).shape, node.input(1)
        depth = indices.shape[-1] if indices.shape else 0
        return [(indices, 0, min(table[:depth]) - 1)] if 0 < depth <= len(table) else []
    if op in ("DIV", "FLOOR_DIV", "FLOOR_MOD") and node.input(1).dtype in _INTEGERS:
        return [(node.input(1), *_DIVISORS)]
    if op == "TFLite_Detection_PostProcess":
        return [(node.input(0), *_BOX)]
    return []


# [(tensor, lowest, highest)] of the inputs that a node copies to its output, when the values of
# the output are limited to low..high.
def _limits_before(node, low, high):
    op = op_name(node)
    if op == "ADD":
        for tensor, other in zip(node.inputs, reversed(node.inputs), strict=True):
            if other.is_constant() and other.elements() == 1 and other.dtype in _INTEGERS:
                added = int.from_bytes(bytes(other.data), "little", signed=True)
                # Keras adds the size of the dimension to negative indices only: the others keep
                # their values.
                if added == high + 1:
                    added = 0
                return [(tensor, low - added, high - added)]
    if op not in _MOVERS:
        return []
    moved = _MOVERS[op]
    return [
        (tensor, low, high)
        for i, tensor in enumerate(node.inputs)
        if tensor is not None and (moved is None or i in moved)
    ]


def input_limits(model):
    """Return {position of an input: (lowest, highest real value)} of a TfliteModel.

    An input has limits when the model uses its values, without a computation, as indices of a
    table, as divisors or as boxes.
    """
    subgraph = model.subgraphs[0]
    limits = {}  # by number of a tensor
    for i in reversed(range(subgraph.nodes_length())):
        node = subgraph.node(i)
        found = _operands(node)
        for tensor in node.outputs:
            if tensor is not None and tensor.index in limits:
                found += _limits_before(node, *limits[tensor.index])
        for tensor, lowest, highest in found:
            low, high = limits.get(tensor.index, (lowest, highest))
            limits[tensor.index] = max(low, lowest), min(high, highest)
    numbers = [subgraph.tensor(i).index for i in subgraph.inputs]
    return {k: limits[number] for k, number in enumerate(numbers) if number in limits}
