# tflm: AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import FLOAT_WORK

LAYOUT = (
    "input",
    "output",
    "divisor",  # scratch
    "kind",
    "input_height",
    "input_width",
    "channels",
    "output_height",
    "output_width",
    "filter_height",
    "filter_width",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
    "activation_min",
    "activation_max",
    "initial",
)

MEAN, MAXIMUM, MEAN_SQUARE = 0, 1, 2

_LOWEST = 0xFF7FFFFF


# Write the record. `geometry`: fields from pooling.py; `low` and `high`: bits of the limits.
def emit_pooling_float(context, node, geometry, kind, low, high):
    target = node.output(0)
    elements = target.elements()
    if not elements:
        return
    cells = min(geometry["filter_height"], geometry["input_height"])
    cells *= min(geometry["filter_width"], geometry["input_width"])
    context.emit(
        "pooling_float.eval_float32",
        LAYOUT,
        elements // geometry["channels"],
        elements * (cells + 2) * FLOAT_WORK,
        input=node.input(0),
        output=target,
        divisor=None if kind == MAXIMUM else context.request_scratch_buffer(4),
        kind=kind,
        activation_min=low,
        activation_max=high,
        initial=_LOWEST if kind == MAXIMUM else 0,
        **geometry,
    )
