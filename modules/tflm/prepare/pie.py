# tflm: weights as vectors of 16 bytes for the vector unit of the ESP32-S3 (PIE): Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import LIMITS
from .conv_lanes import is_flat, rows_of
from .dsp import channels, is_plain_relu, words
from .lanes import int8_values, packable
from .pie_folding import SCALE_BITS, fold, folded
from .pie_geometry import MAX_BLOCK_BYTES, SCRATCH_BYTES, VECTOR, block_of, geometry_of, padded

# One instruction multiplies 16 inputs by 16 weights. CONV_2D and FULLY_CONNECTED add all products
# to one sum (ACCX, 40 bits), DEPTHWISE_CONV_2D adds each product to its channel's sum (QACC, 20
# bits: 9 products of int8 always fit). All vectors begin at multiples of 16: the chip ignores the
# lowest address bits. Inputs are copied to such vectors in scratch memory as they are, and the
# zero point of the inputs is in the bias. Layers that are not supported have the records of
# prepare/mac16.py.
#
# An output is made of a sum a (without bias) in one of these ways:
# FOLDED: ((q * a + d) * p) >> 32 >> s, limited to int8. TFLM's two roundings, the bias and the
#   output's zero point are all in these numbers, which is proved for all sums of the channel. For
#   DEPTHWISE_CONV_2D, whose sums are in the upper 20 bits of a word, q is 4096 and s is 12.
# Otherwise TFLM's two roundings, for CONV_2D and FULLY_CONNECTED.

# Inputs are copied by columns, as in prepare/conv_lanes.py.
CONV = (
    "input",
    "stream",
    "output",
    "scratch",
    "input_height",
    "row_bytes",  # of the image
    "output_height",
    "output_width",
    "output_channels",
    "filter_height",
    "stride_height",
    "dilation_height",
    "padding_height",
    "padding_bytes",  # at the left
    "column_step",  # bytes of the image from one column to the next
    "run",  # bytes of a column in one row
    "column_bytes",  # of a column in all rows, rounded up to whole vectors
    "is_whole",  # 1: runs are whole words, either inside the image or outside of it
    "window_columns",
    "pixel_columns",  # from one window to the next
    "block_pixels",  # that fit the scratch buffer
    "input_zero_point",
) + LIMITS

FULLY_CONNECTED = (
    "input",
    "stream",
    "output",
    "scratch",
    "depth",
    "depth_bytes",  # rounded up to whole vectors
    "batches",
    "output_channels",
) + LIMITS

# Filters are 3x3.
DEPTHWISE = (
    "input",
    "stream",
    "output",
    "scratch",
    "input_height",
    "input_width",
    "output_height",
    "output_width",
    "channels",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
    "plane_columns",
    "input_zero_point",
)

_COPIED = ("input_height",) + CONV[6:9] + CONV[10:13]
_MAX_PLANE_BYTES = 8192  # three rows of all channels, for DEPTHWISE_CONV_2D
_SPEED = 16  # a multiply-accumulate of these kernels is that much faster
_SIDE = 3


# Emit a CONV_2D with the `fields` and `table` of conv.py. Return False if it is not supported.
def emit_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, depth = weights.shape
    if not packable(context, node) or not target.elements() or not weights.elements():
        return False
    if depth != fields["input_channels"] or fields["dilation_width"] > 1:
        return False
    geometry = geometry_of(fields, height, width, depth)
    column, count = geometry["column_bytes"], geometry["window_columns"]
    rows, pixels = target.shape[0] * target.shape[1], target.shape[2]
    flat = is_flat(fields, height, width)
    if flat:
        geometry["row_bytes"] = source.elements()
        rows, pixels = 1, rows * pixels
    window, step = column * count, column * geometry["pixel_columns"]
    if window > MAX_BLOCK_BYTES:
        return False
    block, block_rows, size = block_of(rows, pixels, window, step)
    stream = context.packed(
        _matrix, node, fields, table, weights.shape, (geometry["run"], count, column)
    )
    if stream is None:
        return False
    for name in _COPIED:
        geometry[name] = fields[name]
    if flat:
        geometry.update({"input_height": 1, "output_height": 1, "output_width": pixels})
    context.emit(
        "conv_pie.eval%s_int8" % ("_pixels" if flat else ""),
        CONV,
        pixels if flat else rows,
        target.elements() * height * width * depth // _SPEED,
        at_once=block if flat else block_rows,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(size),
        block_pixels=block,
        input_zero_point=source.zero_point(),
        **geometry,
        **{name: fields[name] for name in LIMITS},
    )
    return True


# Emit a FULLY_CONNECTED with the `fields` and `table` of fully_connected.py. Return False if it is
# not supported.
def emit_fully_connected(context, node, fields, table):
    source, target = node.input(0), node.output(0)
    depth, count = fields["depth"], fields["output_channels"]
    if not packable(context, node) or not target.elements() or not depth:
        return False
    size = padded(depth)
    if size > MAX_BLOCK_BYTES:
        return False
    window = depth, 1, size
    stream = context.packed(_matrix, node, fields, table, (count, 1, 1, depth), window)
    if stream is None:
        return False
    context.emit(
        "fully_connected_pie.eval_int8",
        FULLY_CONNECTED,
        count,
        target.elements() * depth // _SPEED,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(SCRATCH_BYTES + size + VECTOR),
        depth=depth,
        depth_bytes=size,
        batches=fields["batches"],
        output_channels=count,
        **{name: fields[name] for name in LIMITS},
    )
    return True


# Emit a DEPTHWISE_CONV_2D with the `fields` and `table` of depthwise_conv.py. Return False if it
# is not supported.
def emit_depthwise_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, count = weights.shape
    if not packable(context, node) or not target.elements() or not height == width == _SIDE:
        return False
    if fields["dilation_height"] > 1 or fields["dilation_width"] > 1:
        return False
    if count != fields["input_channels"] or not is_plain_relu(fields):
        return False
    columns = (fields["output_width"] - 1) * fields["stride_width"] + _SIDE
    size = _SIDE * columns * padded(count)
    if size > _MAX_PLANE_BYTES:
        return False
    stream = context.packed(_vectors_3x3, node, fields, table)
    if stream is None:
        return False
    context.emit(
        "depthwise_conv_pie.eval_3x3_int8",
        DEPTHWISE,
        target.shape[0] * target.shape[1],
        target.elements() * height * width // _SPEED,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(SCRATCH_BYTES + size),
        channels=count,
        plane_columns=columns,
        input_zero_point=source.zero_point(),
        **{name: fields[name] for name in DEPTHWISE[4:8] + DEPTHWISE[9:13]},
    )
    return True


# Return a dsp.Channel for each of `rows`, or None if one does not fit. A kernel doubles sums
# itself, so that multipliers above 1 are not supported.
def _channels(rows, node, fields, table):
    bias, zero_point = node.optional_input(2), node.input(0).zero_point()
    found = channels(rows, bias, zero_point, fields, bytearray(table), False)
    if found and [channel for channel in found if channel.factor != 2]:
        return None
    return found


# Return the stream of a matrix, or None if something does not fit. For each channel: its weights
# as whole vectors, then four words: (d, p, -1 - s, q) of FOLDED, or (twice the bias, multiplier,
# right shift, half of the divisor of the shift).
def _matrix(context, node, fields, table, shape, window):
    rows = rows_of(int8_values(node.input(1)), shape, *window)
    found = _channels(rows, node, fields, table)
    if found is None:
        return None
    zero_point = node.input(0).zero_point()
    chunks = []
    for channel in found:
        numbers = folded(channel, zero_point) if is_plain_relu(fields) else None
        if numbers is None:
            half = 1 << channel.shift >> 1
            numbers = 2 * channel.bias, channel.multiplier, channel.shift, half
        chunks += [bytes([w & 0xFF for w in channel.row]), words(numbers)]
    return b"".join(chunks)


# Return the stream of a 3x3 filter, or None if something does not fit. For each 16 channels: a
# vector for each of the 9 weights, then (d, p) of each channel.
def _vectors_3x3(context, node, fields, table):
    values = int8_values(node.input(1))
    count = len(values) // _SIDE**2
    found = _channels([values[i::count] for i in range(count)], node, fields, table)
    if found is None:
        return None
    zero_point = node.input(0).zero_point()
    chunks = []
    for first in range(0, count, VECTOR):
        group = found[first : first + VECTOR]
        numbers = []
        for channel in group:
            pair = fold(channel, zero_point, SCALE_BITS, SCALE_BITS)
            if pair is None:
                return None
            numbers += pair
        empty = VECTOR - len(group)
        for i in range(_SIDE**2):
            chunks.append(bytes([channel.row[i] & 0xFF for channel in group] + [0] * empty))
        chunks.append(words(numbers + [0, 0] * empty))
    return b"".join(chunks)
