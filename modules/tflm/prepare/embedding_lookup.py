# tflm: EMBEDDING_LOOKUP: Prepare (TFLM embedding_lookup.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from .common import check, check_dtype, check_outputs, check_quantized, product, support
from .dequantize import emit_dequantize
from .gather import emit_gather


# A row of the table for each number.
def output_shapes(node):
    numbers, values = node.input(0), node.input(1)
    check(len(numbers.shape) == 1, node, "%s should have one dimension" % numbers)
    check(len(values.shape) >= 2, node, "%s should have 2 or more dimensions" % values)
    return [numbers.shape + values.shape[1:]]


# Copy rows of a table by their numbers. Rows of integers for an output of float32 are gathered in
# scratch memory first, then dequantized.
def prepare(context, node):
    numbers, values, target = node.input(0), node.input(1), node.output(0)
    check_dtype(node, numbers, dtypes.INT32)
    check_outputs(node, output_shapes(node))
    count = numbers.elements()
    if values.dtype == target.dtype != dtypes.INT4:
        emit_gather(context, node, (values, numbers, target), values.shape, count, 1, 1)
        return
    check_dtype(node, values, dtypes.INT8, dtypes.INT4)
    check_dtype(node, target, dtypes.FLOAT32)
    if not target.elements():
        return
    if values.dtype == dtypes.INT4:
        check(values.is_quantized or values.blocks, node, "%s has no scale" % values)
        rows, values = _packed_rows(context, node, numbers, values)
    else:
        rows = context.request_scratch_buffer(target.elements())
        emit_gather(context, node, (values, numbers, rows), values.shape, count, 1, 1)
    if values.blocks:
        _emit_blocks(context, node, rows, values)
        return
    if values.scales_length() < 2:
        check_quantized(node, values)
        check(values.zero_point() == 0, node, "%s should have the zero point 0" % values)
        emit_dequantize(context, node, rows, values)
        return
    _emit_rows_of_scales(context, node, rows, values)


# Gather rows of int4 and unpack them; return them and the table as a tensor of int8.
def _packed_rows(context, node, numbers, values):
    from .unpack_int4 import LAYOUT, UnpackedTensor

    size, count = product(values.shape[1:]), node.output(0).elements()
    support(size & 1 == 0, node, "%s: rows of an odd number of elements" % values)
    packed = values.with_shape((values.shape[0], size // 2))
    packed.dtype = dtypes.INT8
    halves = context.request_scratch_buffer(count // 2)
    rows = context.request_scratch_buffer(count)
    tensors = packed, numbers, halves
    emit_gather(context, node, tensors, packed.shape, numbers.elements(), 1, 1, count // 2)
    context.emit("unpack_int4.eval_int4", LAYOUT, count, count, input=halves, output=rows)
    return rows, UnpackedTensor(values, rows)


# Dequantize rows of blocks, which have a float16 scale each: the scales are gathered, too.
def _emit_blocks(context, node, rows, values):
    from .dequantize_channels import ONE, OperandTensor, emit_scaled
    from .unary_float import UNARY

    numbers, target, (scales, size) = node.input(0), node.output(0), values.blocks
    width = product(values.shape[1:])
    check(0 < size <= width and width % size == 0, node, "%s has blocks of %d" % (values, size))
    blocks = width // size
    is_whole = scales.dtype == dtypes.FLOAT16 and scales.is_constant()
    is_whole = is_whole and scales.elements() == values.shape[0] * blocks
    check(is_whole, node, "%s are no scales" % scales)
    count = numbers.elements() * blocks
    halves = context.request_scratch_buffer(2 * count)
    found = context.request_scratch_buffer(4 * count)
    emit_gather(context, node, (scales, numbers, halves), (values.shape[0], blocks),
                numbers.elements(), 1, 1, count)  # fmt: skip
    context.emit("float16.eval_to_float32", UNARY, count, 4 * count, input=halves, output=found)
    emit_dequantize(context, node, rows, values, ONE)
    by_blocks = node.with_inputs(node.inputs)
    by_blocks.outputs = [target.with_shape((count, size))]
    emit_scaled(context, by_blocks, OperandTensor(found, (count, 1)))


# Dequantize rows that have a scale each: the scales are gathered, too.
def _emit_rows_of_scales(context, node, rows, values):
    from .dequantize_channels import ONE, OperandTensor, emit_scaled, scale_bytes

    numbers, count = node.input(0), values.shape[0]
    check(
        values.quantized_dimension == 0 and values.scales_length() == count,
        node,
        "%s should have a scale for each row" % values,
    )
    for i in range(count):
        check(values.zero_point(i) == 0, node, "%s should have the zero point 0" % values)
    table = OperandTensor(context.constant(scale_bytes(values)), (count, 1))
    found = context.request_scratch_buffer(4 * numbers.elements())
    emit_gather(context, node, (table, numbers, found), table.shape, numbers.elements(), 1, 1,
                numbers.elements())  # fmt: skip
    shape = numbers.shape + (1,) * (len(values.shape) - 1)
    emit_dequantize(context, node, rows, values, ONE)
    emit_scaled(context, node, OperandTensor(found, shape))
