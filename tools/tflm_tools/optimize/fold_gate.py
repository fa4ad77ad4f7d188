# tflm_tools: fold_gate: one table for a tensor times a function of it, such as SiLU
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ..bands.operators.table_operator import TableOperator
from ..model.schema import BuiltinOperator
from .emissions import emissions, lookup_table, multipliers, requantize

CODES = BuiltinOperator.LOGISTIC, BuiltinOperator.TANH, BuiltinOperator.HARD_SWISH
_MUL = BuiltinOperator.MUL
_KERNEL = "mul.eval_int8"
_REASON = "the product has one value for each of the 256 values"


def apply(graph):
    """Replace x * f(x) by a table of 256 bytes; returns a list of Saving.

    The pattern is MUL of an int8 tensor and of the output of a unary operator of it, which has no
    other readers: SiLU of a language model is MUL and LOGISTIC.
    """
    from .passes import Saving

    found = []
    for subgraph in graph.running():
        for product in [node for node in subgraph.nodes if node.builtin_code == _MUL]:
            curve, table = _table(subgraph, product)
            if table is None:
                continue
            step = TableOperator(curve, curve.inputs[:1], product.outputs, table)
            step.origins = (*curve.origins, *product.origins)
            size = curve.outputs[0].nbytes()
            found.append(Saving("fold_gate", step.origins, 0, size, _REASON))
            subgraph.insert(subgraph.nodes.index(product), step)
            subgraph.remove(product)
            subgraph.remove(curve)
    return found


# (the unary operator, the table of its product with its input) of a MUL; (None, None) if the MUL
# is another one.
def _table(subgraph, product):
    for at, tensor in enumerate(product.inputs):
        curve = subgraph.producer(tensor)
        if (
            curve is None
            or curve.builtin_code not in CODES
            or not curve.inputs
            or curve.inputs[0] is not product.inputs[1 - at]
        ):
            continue
        tensors = (curve.inputs[0], tensor, product.outputs[0])
        if any(t.dtype != dtypes.INT8 or t.shape != tensor.shape for t in tensors):
            continue
        is_shared = len(subgraph.consumers(tensor)) > 1 or subgraph.is_output(tensor)
        values, found = lookup_table(curve), emissions(product)
        if is_shared or values is None or len(found) != 1 or found[0].kernel != _KERNEL:
            continue
        table = _products(values, curve.inputs[0], tensor, found[0])
        if None not in table:  # a product that overflows
            return curve, table
    return None, None


# The table of the products of -128 to 127 and of `values`.
def _products(values, source, other, emission):
    [(multiplier, shift)] = multipliers(emission)
    zeros = source.zero_point(), other.zero_point()
    return [
        requantize((x - zeros[0]) * (y - zeros[1]), multiplier, shift, emission.fields)
        for x, y in zip(range(-128, 128), values, strict=True)
    ]
