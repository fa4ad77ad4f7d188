# tflm: MEAN and SUM, float32: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from . import scale
from .common import FLOAT_WORK

LAYOUT = (
    "input",
    "output",
    # The kept dimensions, innermost first: length, bytes from one to the next.
    "kept0",
    "kept_step0",
    "kept1",
    "kept_step1",
    "kept_step2",
    # The reduced dimensions, innermost first.
    "reduced0",
    "reduced_step0",
    "reduced1",
    "reduced_step1",
    "reduced2",
    "reduced_step2",
    "divisor",
)


# Write the record. `geometry`: dimensions from reduce.py; `divisor`: a positive integer.
def emit_reduce_float(context, node, geometry, divisor):
    source, target = node.input(0), node.output(0)
    context.emit(
        "reduce_float.eval_float32",
        LAYOUT,
        target.elements(),
        (source.elements() + target.elements()) * FLOAT_WORK,
        input=source,
        output=target,
        divisor=scale.to_bits(scale.from_int(divisor)),
        **geometry,
    )
