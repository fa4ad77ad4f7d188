# tflm: STABLEHLO_NEGATE: Prepare of the example of a new operator
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check_dtype, check_outputs, same_shape

LAYOUT = ("input", "output")

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.INT8)
    check_dtype(node, target, dtypes.INT8)
    check_outputs(node, output_shapes(node))
    count = source.elements()
    context.emit("mirror_bits.eval_int8", LAYOUT, count, count, input=source, output=target)
