# tflm_tools: dead_operators: removes operators whose outputs nobody reads
# MIT license; Copyright (c) 2026 the tflm authors

from ..model.graph import root_of
from ..model.macs import macs
from ..model.schema import BuiltinOperator

# Operators that do more than write their outputs: they change variables, or run a user's code.
_WITH_EFFECTS = (
    BuiltinOperator.IF,
    BuiltinOperator.WHILE,
    BuiltinOperator.CALL_ONCE,
    BuiltinOperator.STABLEHLO_COMPOSITE,
    BuiltinOperator.CUSTOM,
    BuiltinOperator.ASSIGN_VARIABLE,
)


def apply(graph):
    """Remove operators whose outputs nobody reads; returns a list of Saving.

    Converters leave such operators, and constant_folding makes some: DEQUANTIZE of a tensor of
    which only the shape was used.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for node in reversed(subgraph.nodes):
            if _is_dead(subgraph, node):
                subgraph.remove(node)
                size = sum(t.nbytes() for t in node.outputs if t is not None)
                reason = "nobody reads its outputs"
                found.append(Saving("dead_operators", node.origins, macs(node) or 0, size, reason))
    return found


def _is_dead(subgraph, node):
    outputs = [tensor for tensor in node.outputs if tensor is not None]
    if node.builtin_code in _WITH_EFFECTS or not outputs:
        return False
    # An operator with state, as SVDF, may have variables as inputs: nothing but itself reads them.
    return not any(
        root_of(tensor)[0].is_variable or subgraph.is_output(tensor) or subgraph.consumers(tensor)
        for tensor in outputs
    )
