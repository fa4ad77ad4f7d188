# tflm: SOFTMAX, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import FLOAT_WORK

LAYOUT = ("input", "output", "scalar", "depth", "beta", "lowest")

_LOWEST = 0xFF7FFFFF
_STEPS = 6  # work of an element, in multiply-accumulates


# Write the record; `beta` is the bits of a float32.
def emit_softmax_float(context, node, beta):
    source = node.input(0)
    depth = source.shape[-1]
    elements = source.elements()
    if not elements:
        return
    context.emit(
        "softmax_float.eval_float32",
        LAYOUT,
        elements // depth,
        elements * _STEPS * FLOAT_WORK,
        input=source,
        output=node.output(0),
        scalar=context.request_scratch_buffer(4),
        depth=depth,
        beta=beta,
        lowest=_LOWEST,
    )
