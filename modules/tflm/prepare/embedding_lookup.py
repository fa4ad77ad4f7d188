# tflm: EMBEDDING_LOOKUP: Prepare (TFLM embedding_lookup.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_outputs, check_quantized, support
from .dequantize import emit_dequantize
from .gather import emit_gather


# A row of the table for each number.
def output_shapes(node):
    numbers, values = node.input(0), node.input(1)
    check(len(numbers.shape) == 1, node, "%s should have one dimension" % numbers)
    check(len(values.shape) >= 2, node, "%s should have 2 or more dimensions" % values)
    return [numbers.shape + values.shape[1:]]


# Copy rows of a table by their numbers. Rows of int8 for an output of float32 are gathered in
# scratch memory first, then dequantized.
def prepare(context, node):
    numbers, values, target = node.input(0), node.input(1), node.output(0)
    check_dtype(node, numbers, dtypes.INT32)
    check_dtype(node, values, dtypes.FLOAT32, dtypes.INT8)
    check_outputs(node, output_shapes(node))
    count = numbers.elements()
    if values.dtype == target.dtype:
        emit_gather(context, node, (values, numbers, target), values.shape, count, 1, 1)
        return
    check_dtype(node, target, dtypes.FLOAT32)
    if not target.elements():
        return
    check_quantized(node, values)
    check(values.zero_point() == 0, node, "%s should have the zero point 0" % values)
    support(values.scales_length() == 1, node, "quantization per channel")
    rows = context.request_scratch_buffer(target.elements())
    emit_gather(context, node, (values, numbers, rows), values.shape, count, 1, 1)
    emit_dequantize(context, node, rows, values)
