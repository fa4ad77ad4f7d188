# tflm: TRANSPOSE_CONV: Prepare (TFLM transpose_conv.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from .common import (
    FLOAT_WORK,
    REQUANTIZE,
    check,
    check_dtype,
    constant_ints,
    float_activation_range,
)
from .convolution import channel_multipliers, check_bias, requantize_fields, window_of
from .requantize_int16 import (
    REQUANTIZE_INT16,
    matrix_offsets,
    requantize_int16_fields,
    scratch_bytes,
)

# Words of a record: the windows of the filter over the output.
_SIZES = (
    "input_height",
    "input_width",
    "input_channels",
    "output_height",
    "output_width",
    "output_channels",
    "filter_height",
    "filter_width",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
)
_OPERANDS = ("input", "weights", "bias", "output")

# The requantization is a constant, `requantize`: the words REQUANTIZE or REQUANTIZE_INT16 and
# their table. In banded execution records are copied to the arena, and the table would be most of
# this one.
INTEGER = _OPERANDS + ("scratch", "requantize") + _SIZES + ("bias_kind", "offsets")
FLOAT32 = _OPERANDS + _SIZES + ("activation_min", "activation_max")
HYBRID = (
    ("quantized", "scales", "offsets", "weights", "weight_scales", "bias", "output")
    + _SIZES
    + ("per_channel", "activation_min", "activation_max")
)

_OPTIONS = const(49)  # TransposeConvOptions
_PADDING = const(0)
_STRIDE_W = const(1)
_STRIDE_H = const(2)
_FUSED_ACTIVATION_FUNCTION = const(3)
_QUANTIZED_BIAS_TYPE = const(4)
_INT64 = const(1)  # kind of bias; int32 is less


# Input 0 gives the sides, if it is known. The batch is the input's, because converters write 1 if
# they do not know it.
def output_shapes(node):
    options, source, weights = node.options(_OPTIONS), node.input(2), node.input(1)
    sides = node.output(0).shape[1:3]
    if node.input(0).is_constant():
        sides = constant_ints(node, node.input(0), "the shape")[1:3]
    for i, stride in enumerate((_STRIDE_H, _STRIDE_W)):
        size, window, stride = sides[i], weights.shape[1 + i], options.get(stride, "i")
        count, _ = window_of(node, options.get(_PADDING, "b"), size, window, stride, 1)
        check(count == source.shape[1 + i], node, "%s does not fit shape %s" % (source, sides))
    return [source.shape[:1] + tuple(sides) + weights.shape[:1]]


# As in TFLM the output's own shape counts, not input 0.
def prepare(context, node):
    options = node.options(_OPTIONS)
    check(len(node.inputs) in (3, 4), node, "it must have 3 or 4 inputs")
    source, weights, target = node.input(2), node.input(1), node.output(0)
    fields = _sizes(node, source, weights, target, options)
    # From here on it is a node with the inputs of a CONV_2D.
    inputs = [source, weights, node.optional_input(3)]
    node = node.with_inputs(inputs)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    activation = options.get(_FUSED_ACTIVATION_FUNCTION, "b")
    if source.dtype == dtypes.FLOAT32 and weights.dtype == dtypes.INT8:
        _prepare_hybrid(context, node, activation, fields)
    elif source.dtype == dtypes.FLOAT32:
        emit_float32(context, node, activation, fields)
    elif source.dtype == dtypes.INT8:
        _prepare_int8(context, node, activation, fields)
    else:
        bias_type = options.get(_QUANTIZED_BIAS_TYPE, "b")
        _prepare_int16(context, node, activation, bias_type, fields)


# Return the fields of _SIZES. The padding belongs to the convolution from the output to the input.
def _sizes(node, source, weights, target, options):
    for tensor in (source, weights, target):
        check(len(tensor.shape) == 4, node, "%s must have 4 dimensions" % tensor)
    channels, depth = weights.shape[0], weights.shape[3]
    check(
        source.shape[0] == target.shape[0]
        and source.shape[3] == depth
        and target.shape[3] == channels,
        node,
        "%s and %s do not fit %s" % (source, weights, target),
    )
    fields = {"input_channels": depth, "output_channels": channels}
    strides = options.get(_STRIDE_H, "i"), options.get(_STRIDE_W, "i")
    for i, side in enumerate(("height", "width")):
        size, window, stride = target.shape[1 + i], weights.shape[1 + i], strides[i]
        _, before = window_of(node, options.get(_PADDING, "b"), size, window, stride, 1)
        if node.padding is not None:  # a band of rows
            before = node.padding[i]
        fields["input_" + side] = source.shape[1 + i]
        fields["output_" + side] = size
        fields["filter_" + side] = window
        fields["stride_" + side] = stride
        fields["padding_" + side] = before
    return fields


# Return the multiply-accumulates of all outputs, at most, and one for each output.
def _work(node):
    return (
        node.input(0).elements() * node.input(1).elements() // max(1, node.input(0).shape[3])
        + 16 * node.output(0).elements()
    )


# `node` has the inputs of a CONV_2D: input, weights, bias or None.
def emit_float32(context, node, activation, fields):
    from .conv_float import emit_conv

    source, weights, bias, target = node.input(0), node.input(1), node.inputs[2], node.output(0)
    check_dtype(node, weights, dtypes.FLOAT32)
    check_dtype(node, target, dtypes.FLOAT32)
    check_bias(node, bias, fields["output_channels"], dtypes.FLOAT32)

    def emit(sub, windows):
        emit_conv(context, sub, activation, windows)
        return True

    if _emit_phases(context, node, fields, emit):
        return
    low, high = float_activation_range(node, activation)
    context.emit(
        "transpose_conv_float.eval_float32",
        FLOAT32,
        target.elements(),
        _work(node) * FLOAT_WORK,
        input=source,
        weights=weights,
        bias=bias,
        output=target,
        activation_min=low,
        activation_max=high,
        **fields,
    )


# LiteRT always quantizes the input asymmetrically.
def _prepare_hybrid(context, node, activation, fields):
    from .hybrid import check_operands, emit_windows, epilogue, quantize

    source, target = node.input(0), node.output(0)
    check_bias(node, node.inputs[2], fields["output_channels"], dtypes.FLOAT32)
    taps = fields["filter_height"] * fields["filter_width"] * fields["input_channels"]
    check_operands(node, target, fields["output_channels"], taps)
    check(source.elements() and target.elements(), node, "%s is empty" % source)
    quantized = quantize(context, source, source.shape[0], True)

    def emit(sub, windows):
        emit_windows(context, sub, activation, quantized, windows)
        return True

    if _emit_phases(context, node, fields, emit):
        return
    fields.update(quantized)
    fields.update(epilogue(context, node, activation))
    context.emit(
        "hybrid_transpose.eval_float32",
        HYBRID,
        target.elements(),
        _work(node) + 4 * FLOAT_WORK * target.elements(),
        weights=node.input(1),
        bias=node.inputs[2],
        output=target,
        **fields,
    )


def _prepare_int8(context, node, activation, fields):
    from .conv import emit_packed

    def emit(sub, windows):
        quantized, table = requantize_fields(sub, activation, windows["output_channels"])
        windows.update(quantized)
        return emit_packed(context, sub, windows, table)

    if _emit_phases(context, node, fields, emit):
        return
    quantized, table = requantize_fields(node, activation, fields["output_channels"])
    # The zero point of the weights is ignored; 128 compensates for their flipped top bit.
    fields["offsets"] = 0x80 << 16 | quantized["input_offset"]
    block = [quantized[name] for name in REQUANTIZE]
    _emit_integer(context, node, "transpose_conv.eval_int8", 0, block, table, fields)


# `bias_type`: the option. TFLM lacks int32.
def _prepare_int16(context, node, activation, bias_type, fields):
    from .conv_int16 import check_types, emit_conv

    source, weights, target = node.input(0), node.input(1), node.output(0)
    allowed = dtypes.INT32 if bias_type == dtypes.INT32 else dtypes.INT16
    kind = check_types(node, (dtypes.INT64, allowed), bias_type, fields)

    def emit(sub, windows):
        emit_conv(context, sub, activation, bias_type, windows)
        return True

    if kind <= _INT64 and _emit_phases(context, node, fields, emit):
        return
    multipliers = channel_multipliers(node, source, weights, target, fields["output_channels"])
    quantized, table = requantize_int16_fields(node, target, activation, multipliers, kind)
    fields["offsets"] = matrix_offsets(kind)
    block = [quantized[name] for name in REQUANTIZE_INT16]
    _emit_integer(context, node, "transpose_conv.eval_int16", kind, block, table, fields)


# Emit the operator as convolutions; return False if it must be emitted as it is. A board that
# prepares a .tflite would need RAM for the weights.
def _emit_phases(context, node, fields, emit):
    if not context.may_reorder_weights:
        return False
    from .transpose_phases import emit_phases

    return emit_phases(context, node, fields, emit)


# `kind` of the bias as in kernels/matrix.py; `block` and `table`: see INTEGER.
def _emit_integer(context, node, kernel, kind, block, table, fields):
    channels, depth = fields["output_channels"], fields["input_channels"]
    words = struct.pack("<5I", *[value & 0xFFFFFFFF for value in block])
    context.emit(
        kernel,
        INTEGER,
        node.output(0).elements() // channels if channels else 0,
        _work(node),
        input=node.input(0),
        weights=node.input(1),
        bias=node.inputs[2],
        output=node.output(0),
        scratch=context.request_scratch_buffer(scratch_bytes(kind, channels, depth)),
        requantize=context.constant(words + table),
        bias_kind=kind,
        **fields,
    )
