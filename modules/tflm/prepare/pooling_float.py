# tflm: AVERAGE_POOL_2D and MAX_POOL_2D on float32: what is left to Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import FLOAT_WORK, float_activation_range

LAYOUT = (
    "input",
    "output",
    "divisor",  # scratch
    "maximum",
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

_LOWEST = 0xFF7FFFFF


# Write the record; `geometry` are the fields that pooling.py has found.
def emit_pooling_float(context, node, geometry, activation, maximum):
    target = node.output(0)
    elements = target.elements()
    if not elements:
        return
    cells = min(geometry["filter_height"], geometry["input_height"])
    cells *= min(geometry["filter_width"], geometry["input_width"])
    low, high = float_activation_range(node, activation)
    context.emit(
        "pooling_float.eval_float32",
        LAYOUT,
        elements // geometry["channels"],
        elements * (cells + 2) * FLOAT_WORK,
        input=node.input(0),
        output=target,
        divisor=None if maximum else context.request_scratch_buffer(4),
        maximum=1 if maximum else 0,
        activation_min=low,
        activation_max=high,
        initial=_LOWEST if maximum else 0,
        **geometry,
    )
