# tflm: ADD, SUB, MUL, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .broadcast import BROADCAST, emit_broadcast
from .common import FLOAT_WORK, NONE, float_activation_range

LAYOUT = BROADCAST + ("kind", "activation_min", "activation_max")

# Operations of kernels/float32.py.
MUL, ADD, SUB = 1, 2, 3


# Write the record of one of the kinds above.
def emit_arithmetic(context, node, activation, kind):
    emit_product(context, node, (node.input(0), node.input(1)), kind, activation)


# Write the record of emit_arithmetic() for `inputs`, two tensors, instead of the node's inputs.
def emit_product(context, node, inputs, kind, activation=NONE):
    low, high = float_activation_range(node, activation)
    emit_broadcast(
        context,
        node,
        "arithmetic_float.eval_float32",
        LAYOUT,
        inputs,
        FLOAT_WORK,
        kind=kind,
        activation_min=low,
        activation_max=high,
    )
