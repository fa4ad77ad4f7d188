# tflm_tools: constant folding: what depends on constants alone is computed when flattening
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.tflite.context import Operand

from ..model.schema import BuiltinOperator
from .evaluation import evaluate
from .probe import emissions

# Operators with more to them than their inputs and outputs: sub-graphs, variables, code of users.
_NEVER = (
    BuiltinOperator.IF,
    BuiltinOperator.WHILE,
    BuiltinOperator.CALL_ONCE,
    BuiltinOperator.CUSTOM,
    BuiltinOperator.VAR_HANDLE,
    BuiltinOperator.READ_VARIABLE,
    BuiltinOperator.ASSIGN_VARIABLE,
)
_MOST_MORE = 1024  # bytes that a folded constant may have beyond those that it is made of


# The kernels themselves compute the constants, in MicroPython on this machine, all of a sub-graph
# in one run. A large constant made of small ones (FILL, BROADCAST_TO, weights that are
# dequantized) would take flash: it stays an operator. Weights of float16 are no such: in the arena
# they would take four bytes of RAM each, and time at each invoke. Where no MicroPython is found,
# only shapes are folded.
def apply(graph):
    found = []
    for subgraph in graph.running():
        found += _fold_shapes(subgraph)
        nodes = _foldable(subgraph)
        values = evaluate(graph, subgraph, nodes) if nodes else None
        if values is not None:
            for node in nodes:
                found.append(_fold(subgraph, node, [values[t.index] for t in node.outputs]))
    return found


# Put values in the place of a node.
def _fold(subgraph, node, values):
    from .passes import Saving

    subgraph.remove(node)
    for tensor, data in zip(node.outputs, values, strict=True):
        tensor.data = data
    size = sum(len(data) for data in values)
    return Saving("constant_folding", node.origins, 0, size, "all inputs are constant")


# SHAPE does not read its input.
def _fold_shapes(subgraph):
    found = []
    for node in list(subgraph.nodes):
        if node.builtin_code != BuiltinOperator.SHAPE or not _may_be_constant(subgraph, node):
            continue
        copies = emissions(node)
        source = copies[0].fields["input"] if len(copies) == 1 else None
        if isinstance(source, Operand):
            found.append(_fold(subgraph, node, [source.data]))
    return found


# True when all outputs can have constants in their place.
def _may_be_constant(subgraph, node):
    for tensor in node.outputs:
        if tensor is None or tensor.is_variable or not tensor.nbytes():
            return False
        if dtypes.itemsize(tensor.dtype) == 0 or tensor.dtype == dtypes.RESOURCE:
            return False
        if sum(t is tensor for other in subgraph.nodes for t in other.outputs) > 1:
            return False
    return bool(node.outputs)


# The nodes that depend on constants alone, in order of execution.
def _foldable(subgraph):
    found, constant = [], set()
    for node in subgraph.nodes:
        inputs = [t for t in node.inputs if t is not None]
        if node.builtin_code in _NEVER or not inputs or not _may_be_constant(subgraph, node):
            continue
        if not all(t.is_constant() or t.index in constant for t in inputs):
            continue
        before = sum(t.nbytes() for t in inputs)
        wider = (
            node.builtin_code == BuiltinOperator.DEQUANTIZE and inputs[0].dtype == dtypes.FLOAT16
        )
        if not wider and sum(t.nbytes() for t in node.outputs) > before + _MOST_MORE:
            continue
        found.append(node)
        constant.update(t.index for t in node.outputs)
    return found
