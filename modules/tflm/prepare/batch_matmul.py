# tflm: BATCH_MATMUL: Prepare (TFLM batch_matmul.cc, batch_matmul_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from .broadcast import broadcast_shape
from .common import (
    FLOAT_WORK,
    NONE,
    REQUANTIZE,
    check,
    check_dtype,
    check_quantized,
    check_scale_axis,
    limits,
    product,
    requantize_table,
    support,
)
from .convolution import multiplier_of
from .requantize_int16 import REQUANTIZE_INT16, requantize_int16_fields

_OPERANDS = ("left", "right", "output")
_GEOMETRY = (
    "rows",
    "columns",
    "depth",
    "left_row_stride",
    "left_depth_stride",
    "right_column_stride",
    "right_depth_stride",
    "middle_batches",
    "last_batches",
    "left_batch_stride_0",
    "left_batch_stride_1",
    "left_batch_stride_2",
    "right_batch_stride_0",
    "right_batch_stride_1",
    "right_batch_stride_2",
)
FLOAT32 = _OPERANDS + _GEOMETRY
_INTEGER = _OPERANDS + ("scratch",) + _GEOMETRY + ("left_offset", "right_offset")
INT8 = _INTEGER + REQUANTIZE
INT16 = _INTEGER + REQUANTIZE_INT16

_OPTIONS = const(101)  # BatchMatMulOptions
_ADJ_X = const(0)
_ADJ_Y = const(1)
_ASYMMETRIC_QUANTIZE_INPUTS = const(2)
_BLOCK = 32  # taps, and sums, that the kernel unpacks at a time


# The batches of both inputs by numpy's rules, and the product of two matrices.
def output_shapes(node):
    left, right = node.input(0), node.input(1)
    rows, columns = _matrices(node)[:2]
    batches = broadcast_shape([left.shape[:-2], right.shape[:-2]])
    check(
        batches is not None, node, "the batches of %s and %s do not fit together" % (left, right)
    )
    return [batches + (rows, columns)]


# Return rows, columns and depth of a product, and the strides (rows, depth) and (columns, depth).
def _matrices(node):
    left, right, options = node.input(0), node.input(1), node.options(_OPTIONS)
    for tensor in (left, right):
        rank = len(tensor.shape)
        support(2 <= rank <= 5, node, "%s: %d dimensions" % (tensor, rank))
    rows, depth = left.shape[-2:]
    depth_2, columns = right.shape[-2:]
    left_strides, right_strides = (depth, 1), (1, columns)
    if options.get(_ADJ_X, "b"):
        rows, depth = depth, rows
        left_strides = (1, rows)
    if options.get(_ADJ_Y, "b"):
        depth_2, columns = columns, depth_2
        right_strides = (depth, 1)
    check(depth == depth_2, node, "the shapes of %s and %s do not fit together" % (left, right))
    return rows, columns, depth, left_strides, right_strides


def prepare(context, node):
    left, right, target = node.input(0), node.input(1), node.output(0)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    check_dtype(node, left, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    is_narrow = left.dtype != dtypes.INT8 and right.dtype == dtypes.INT8
    check_dtype(node, right, dtypes.INT8 if is_narrow else left.dtype)
    check_dtype(node, target, left.dtype)
    is_hybrid = is_narrow and left.dtype == dtypes.FLOAT32
    if is_narrow and not is_hybrid:
        right = _widened(context, right)
    fields = _geometry(node, left, right, target)
    fields.update({"left": left, "right": right, "output": target})
    units, depth = target.elements(), fields["depth"]
    if is_hybrid:
        _emit_hybrid(context, node, fields)
        return
    if left.dtype == dtypes.FLOAT32:
        if context.may_reorder_weights or context.target_packing is not None:
            from .split_batch_matmul import emit_split

            if emit_split(context, node, fields):
                return
        work = units * (depth + 1) * FLOAT_WORK
        context.emit("batch_matmul_float.eval_float32", FLOAT32, units, work, **fields)
        return
    for tensor in (left, right, target):
        check_quantized(node, tensor)
    multiplier = multiplier_of(node, left, right, None, target)
    wide = left.dtype == dtypes.INT16
    sum_bytes, tap_bytes = (8, 8) if wide else (4, 4)
    size = sum_bytes * min(fields["columns"], _BLOCK) + tap_bytes * min(depth, _BLOCK)
    fields["scratch"] = context.request_scratch_buffer(max(4, size))
    quantize = _int16_fields if wide else _int8_fields
    quantized, table = quantize(node, left, right, target, multiplier)
    fields.update(quantized)
    context.emit(
        "batch_matmul_int16.eval_int16" if wide else "batch_matmul.eval_int8",
        INT16 if wide else INT8,
        units,
        units * (depth * (2 if wide else 1) + 8),
        table=table,
        **fields,
    )


# TFLM lacks int16 times int8. Return the tensor as int16.
def _widened(context, tensor):
    from .cast import emit_integers
    from .unpack_int4 import UnpackedTensor

    count, is_constant = tensor.elements(), tensor.is_constant()
    if is_constant:
        values = bytearray(2 * count)
        for i in range(count):
            values[2 * i] = tensor.data[i]
            values[2 * i + 1] = 0 - (tensor.data[i] >> 7) & 0xFF
        wide = UnpackedTensor(tensor, context.constant(values))
    else:
        wide = UnpackedTensor(tensor, context.request_scratch_buffer(2 * count))
    wide.dtype = dtypes.INT16
    if not is_constant and count:
        emit_integers(context, tensor, wide, count, (dtypes.INT8, dtypes.INT16))
    return wide


# TFLM lacks float32 times constant int8: a FULLY_CONNECTED of all rows. As in LiteRT each row has
# a scale.
def _emit_hybrid(context, node, fields):
    from .hybrid import emit_fully_connected
    from .unpack_int4 import UnpackedTensor

    left, right, options = node.input(0), node.input(1), node.options(_OPTIONS)
    is_matrix = right.is_constant() and product(right.shape[:-2]) == 1
    is_plain = is_matrix and not options.get(_ADJ_X, "b")
    support(is_plain, node, "%s times float32, except one constant matrix," % right)
    rows, columns, depth = product(left.shape[:-1]), fields["columns"], fields["depth"]
    if not options.get(_ADJ_Y, "b"):
        turned = bytearray(columns * depth)
        for i in range(columns * depth):
            turned[i] = right.data[i % depth * columns + i // depth]
        right = UnpackedTensor(right, context.constant(turned))
    check_scale_axis(node, node.input(1), -2 if options.get(_ADJ_Y, "b") else -1)
    asymmetric = options.get(_ASYMMETRIC_QUANTIZE_INPUTS, "B")
    node = node.with_inputs([left, right])
    emit_fully_connected(context, node, NONE, rows, columns, depth, asymmetric)


# Return the fields of _GEOMETRY, after checking the shapes: [..., rows, depth] times [..., depth,
# columns], or with the last two dimensions exchanged if adj_x or adj_y is set.
def _geometry(node, left, right, target):
    rows, columns, depth, left_strides, right_strides = _matrices(node)
    wanted = output_shapes(node)[0]
    check(
        _same(target.shape, wanted),
        node,
        "the shapes of %s, %s and %s do not fit together" % (left, right, target),
    )
    batches = (1,) * (5 - len(wanted)) + wanted[:-2]
    fields = {
        "rows": rows,
        "columns": columns,
        "depth": depth,
        "left_row_stride": left_strides[0],
        "left_depth_stride": left_strides[1],
        "right_column_stride": right_strides[0],
        "right_depth_stride": right_strides[1],
        "middle_batches": batches[1],
        "last_batches": batches[2],
    }
    for side, tensor in (("left", left), ("right", right)):
        for i, stride in enumerate(_batch_strides(tensor.shape)):
            fields["%s_batch_stride_%d" % (side, i)] = stride
    return fields


# Whether a shape is the wanted one, ignoring leading ones.
def _same(shape, wanted):
    extra = len(shape) - len(wanted)
    return shape[max(0, extra) :] == wanted and product(shape[: max(0, extra)]) == 1


# Strides in elements along three dimensions of batches; 0 if all batches share one matrix.
def _batch_strides(shape):
    batches = (1,) * (5 - len(shape)) + shape[:-2]
    strides = []
    stride = shape[-2] * shape[-1]
    for dimension in reversed(batches):
        strides.insert(0, 0 if dimension == 1 else stride)
        stride *= dimension
    return strides


# The fields after _GEOMETRY, and the table.
def _int8_fields(node, left, right, target, multiplier):
    low, high = limits(target.dtype)
    fields = {
        # Bytes are read unsigned with the top bit flipped: 128 more than the int8 value.
        "left_offset": 128 + left.zero_point(),
        "right_offset": 128 + right.zero_point(),
        "output_zero_point": target.zero_point(),
        "activation_min": low,
        "activation_max": high,
        "per_channel": 0,
        "channels": 1,
    }
    return fields, requantize_table([multiplier])


def _int16_fields(node, left, right, target, multiplier):
    for tensor in (left, right, target):
        support(tensor.zero_point() == 0, node, "%s: a zero point that is not 0" % tensor)
    fields, table = requantize_int16_fields(node, target, NONE, [multiplier], 1)
    fields.update({"left_offset": 0, "right_offset": 0})
    return fields, table
