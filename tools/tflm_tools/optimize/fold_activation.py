# tflm_tools: fold_activation: replaces activations that only clamp by limits of their producer
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..model.graph import root_of
from ..model.schema import BuiltinOperator
from .emissions import lookup_table
from .ranges import values_of

# Operators whose int8 kernels clamp the result as their last step.
_PRODUCERS = (
    BuiltinOperator.ADD,
    BuiltinOperator.AVERAGE_POOL_2D,
    BuiltinOperator.CONV_2D,
    BuiltinOperator.DEPTHWISE_CONV_2D,
    BuiltinOperator.FULLY_CONNECTED,
    BuiltinOperator.MAX_POOL_2D,
    BuiltinOperator.MUL,
    BuiltinOperator.SUB,
)
_REASON = "it only clamps, as the operator before it can"


def apply(graph):
    """Fold clamping activations into the operator before them; returns a list of Saving.

    The table of an activation shows for all 256 values of int8 whether it only clamps. RELU and
    similar operators do if their input and output have equal quantization; MINIMUM and MAXIMUM
    with one constant always do. The limits are combined with the limits of the producer, if the
    activation is the only reader of the producer's output.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for node in list(subgraph.nodes):
            source, limits = _clamp(node)
            producer = subgraph.producer(source) if limits else None
            if producer is None or not _may_fold(subgraph, producer, source, node.output(0)):
                continue
            _fold(subgraph, producer, source, node, limits)
            found.append(Saving("fold_activation", node.origins, 0, source.nbytes(), _REASON))
    return found


# (input, (lowest, highest)) of a node that only clamps int8 values, else (None, None).
def _clamp(node):
    nothing = None, None
    if len(node.outputs) != 1 or not node.inputs or node.inputs[0] is None:
        return nothing
    target = node.output(0)
    if target.dtype != dtypes.INT8 or not target.elements():
        return nothing
    if node.builtin_code in (BuiltinOperator.MAXIMUM, BuiltinOperator.MINIMUM):
        return _limit(node)
    if len(node.inputs) != 1 or node.input(0).dtype != dtypes.INT8:
        return nothing
    table = lookup_table(node)
    if table is None:
        return nothing
    low, high = min(table), max(table)
    same = table == [min(max(x, low), high) for x in range(-128, 128)]
    return (node.input(0), (low, high)) if same else nothing


# The result of _clamp() for MINIMUM and MAXIMUM, which compare quantized values, as TFLM does.
def _limit(node):
    a, b = node.input(0), node.input(1)
    if a.is_constant():
        a, b = b, a
    if a.is_constant() or not b.is_constant() or b.elements() != 1:
        return None, None
    if a.elements() != node.output(0).elements():
        return None, None
    value = values_of(b)[0]
    return a, ((value, 127) if node.builtin_code == BuiltinOperator.MAXIMUM else (-128, value))


# True when the activation is the only reader of the producer's output, and the producer can clamp.
def _may_fold(subgraph, producer, source, target):
    if producer.builtin_code not in _PRODUCERS or source.dtype != dtypes.INT8:
        return False
    if any(t is not None and t.dtype == dtypes.INT4 for t in producer.inputs):
        return False
    if subgraph.is_output(source) or len(subgraph.consumers(source)) != 1:
        return False
    if any(t.is_variable or t.view_of is not None for t in (source, target)):
        return False
    for tensor in (source, target):
        if sum(t is tensor for node in subgraph.nodes for t in node.outputs) != 1:
            return False
    return not (subgraph.is_output(target) and subgraph.number)


# Let the producer write the activation's output. If the two tensors have different quantization,
# the producer keeps its tensor, and the activation's output becomes a view of it.
def _fold(subgraph, producer, source, node, limits):
    low, high = limits
    if producer.clamp is not None:
        low, high = (min(max(x, low), high) for x in producer.clamp)
    producer.clamp = low, high
    producer.origins = (*producer.origins, *node.origins)
    target = node.output(0)
    subgraph.remove(node)
    same = source.scale_bits() == target.scale_bits() and source.shape == target.shape
    if same and source.zero_point() == target.zero_point():
        producer.outputs = [target]
    else:
        assert root_of(source)[0] is source
        target.view_of = source, 0
