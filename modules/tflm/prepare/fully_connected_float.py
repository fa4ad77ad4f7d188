# tflm: FULLY_CONNECTED, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import FLOAT_MAC_WORK, check_dtype, float_activation_range

LAYOUT = (
    "input",
    "weights",
    "bias",
    "output",
    "depth",
    "channels",
    "activation_min",
    "activation_max",
)


# Check the types and write the record; the shapes agree.
def emit_fully_connected(context, node, activation, depth, channels):
    target, bias = node.output(0), node.optional_input(2)
    for tensor in (node.input(0), node.input(1), bias, target):
        if tensor is not None:
            check_dtype(node, tensor, dtypes.FLOAT32)
    low, high = float_activation_range(node, activation)
    context.emit(
        "fully_connected_float.eval_float32",
        LAYOUT,
        target.elements(),
        target.elements() * (depth + 1) * FLOAT_MAC_WORK,
        input=node.input(0) if depth else None,
        weights=node.input(1) if depth else None,
        bias=bias,
        output=target,
        depth=depth,
        channels=channels,
        activation_min=low,
        activation_max=high,
    )
