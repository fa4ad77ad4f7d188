# tflm_tools: constant_folding: computes operators whose inputs are all constant
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.tflite.context import Operand

from ..model.schema import BuiltinOperator
from .emissions import emissions
from .evaluation import evaluate

# Operators that depend on more than their inputs: on sub-graphs, variables, a user's code or the
# numbers of earlier invokes.
_NEVER = (
    BuiltinOperator.IF,
    BuiltinOperator.WHILE,
    BuiltinOperator.CALL_ONCE,
    BuiltinOperator.STABLEHLO_COMPOSITE,
    BuiltinOperator.CUSTOM,
    BuiltinOperator.VAR_HANDLE,
    BuiltinOperator.READ_VARIABLE,
    BuiltinOperator.ASSIGN_VARIABLE,
    BuiltinOperator.RANDOM_UNIFORM,
    BuiltinOperator.RANDOM_STANDARD_NORMAL,
)
_MAX_GROWTH = 1024  # bytes by which a folded constant may exceed the constants it is computed from


def apply(graph):
    """Replace operators by constants; returns a list of Saving.

    The kernels compute the constants in MicroPython on this computer, all constants of a sub-graph
    in one run. Without MicroPython only SHAPE is folded.
    An operator that makes a large constant of small ones (FILL, BROADCAST_TO) stays, because the
    constant would need flash. Only weights in float16, in int4 or with a scale per channel are
    always converted to float32: otherwise each of them needs four bytes of RAM, and time at each
    invoke.
    """
    found = []
    for subgraph in graph.running():
        found += _fold_shapes(subgraph)
        nodes = _foldable(subgraph)
        values = evaluate(graph, subgraph, nodes) if nodes else None
        if values is not None:
            for node in nodes:
                found.append(_fold(subgraph, node, [values[t.index] for t in node.outputs]))
    return found


# Replace a node by the values (bytes) of its outputs.
def _fold(subgraph, node, values):
    from .passes import Saving

    subgraph.remove(node)
    for tensor, data in zip(node.outputs, values, strict=True):
        tensor.data = data
    size = sum(len(data) for data in values)
    return Saving("constant_folding", node.origins, 0, size, "all inputs are constant")


# Fold SHAPE, which depends on the shape of its input only.
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


# True when constants can replace all outputs of a node.
def _may_be_constant(subgraph, node):
    for tensor in node.outputs:
        if tensor is None or tensor.is_variable or not tensor.nbytes():
            return False
        if dtypes.itemsize(tensor.dtype) == 0 or tensor.dtype == dtypes.RESOURCE:
            return False
        if sum(t is tensor for other in subgraph.nodes for t in other.outputs) > 1:
            return False
    return bool(node.outputs)


# True for DEQUANTIZE of weights as converters store them: float16, int4, or a scale per channel.
def _is_weight(node):
    if node.builtin_code != BuiltinOperator.DEQUANTIZE:
        return False
    source = node.input(0)
    return source.dtype in (dtypes.FLOAT16, dtypes.INT4) or source.scales_length() > 1


# The nodes that depend on constants only, in order of execution.
def _foldable(subgraph):
    found, constant = [], set()
    for node in subgraph.nodes:
        inputs = [t for t in node.inputs if t is not None]
        if node.builtin_code in _NEVER or not inputs or not _may_be_constant(subgraph, node):
            continue
        if not all(t.is_constant() or t.index in constant for t in inputs):
            continue
        before = sum(t.nbytes() for t in inputs)
        if not _is_weight(node) and sum(t.nbytes() for t in node.outputs) > before + _MAX_GROWTH:
            continue
        found.append(node)
        constant.update(t.index for t in node.outputs)
    return found
