# tflm: DEPTHWISE_CONV_2D with weights in lanes: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from . import lanes
from .common import LIMITS

# Each word of a channel's plane has two rows of a column of the image. A window may begin at the
# first of them ("even") or at the second ("odd"): its weights are packed for both cases.
DEPTHWISE = (
    "input",
    "stream",
    "output",
    "scratch",
    "batches",
    "input_height",
    "input_width",
    "input_channels",
    "output_height",
    "output_width",
    "output_channels",
    "multiplier",
    "filter_height",
    "filter_width",
    "stride_height",
    "stride_width",
    "padding_height",
    "padding_width",
    "channel_words",  # words of a channel in the stream
    "tap_words",  # from one word of the even weights to the next
    "odd_set",  # where the odd weights begin, in words
    "band_rows",  # rows of the output that are computed from one plane
    "plane_columns",
    "input_zero_point",
) + LIMITS

PACKED_WORDS = 5  # of a channel of a 3x3 filter whose weights have one byte
_ANY, _3X3, _3X3_STRIDE_2 = "int8", "3x3_int8", "3x3_stride_2_int8"
_PLANE_BYTES = 2048  # of lanes at a time
_MAX_PLANE_BYTES = 4096  # if _PLANE_BYTES does not hold a single row
_UNPACKED_BYTES = 64  # of a channel with weights of one byte, unpacked to lanes
_COPIED = DEPTHWISE[5:11] + DEPTHWISE[12:18] + LIMITS


# Emit a DEPTHWISE_CONV_2D with the `fields` and `table` of depthwise_conv.py. Return False if it
# is not supported.
def emit_depthwise_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, count = weights.shape
    if not lanes.packable(context, node) or not target.elements():
        return False
    if fields["dilation_height"] > 1 or fields["dilation_width"] > 1:
        return False
    stride = fields["stride_height"]
    columns = (fields["output_width"] - 1) * fields["stride_width"] + width
    band = band_rows(fields["output_height"], height, stride, columns)
    if band is None:
        return False
    kernel = _kernel_of(fields, height, width)
    has_odd = has_odd_windows(node, fields)
    packed_weights = context.packed(_packed, node, fields, table, kernel, has_odd)
    if packed_weights is None:
        return False
    file, words, stream = packed_weights
    packed = kernel != _ANY and words == PACKED_WORDS
    scratch = scratch_bytes(band, height, stride, columns, fields["padding_width"], packed)
    context.emit(
        "depthwise_conv_%s.eval_%s" % (file, kernel),
        DEPTHWISE,
        count,
        target.elements() * height * width,
        input=source,
        stream=context.constant(stream),
        output=target,
        scratch=context.request_scratch_buffer(scratch),
        batches=target.shape[0],
        multiplier=count // fields["input_channels"],
        channel_words=words,
        tap_words=2 if kernel == _3X3 else 1,
        odd_set=1 + (height + 1) // 2 * width,
        band_rows=band,
        plane_columns=columns,
        input_zero_point=source.zero_point(),
        **{name: fields[name] for name in _COPIED},
    )
    return True


# Return the kernel for these filters and strides, without the prefix of its name.
def _kernel_of(fields, height, width):
    strides = fields["stride_height"], fields["stride_width"]
    if height == width == 3 and strides[0] == 2:
        return _3X3_STRIDE_2
    return _3X3 if height == width == 3 and strides == (1, 1) else _ANY


# Return (the kernel's file, words of a channel, the whole stream), or None if weights or sums do
# not fit.
def _packed(context, node, fields, table, kernel, has_odd):
    file, words = _words(context, node, fields, table, kernel, has_odd)
    if not words:
        return None
    stream = [struct.pack("<%dI" % len(w), *[x & 0xFFFFFFFF for x in w]) for w in words]
    return file, len(words[0]), b"".join(stream)


# Return (the kernel's file, [the words of each channel]); the list is empty if something does not
# fit.
def _words(context, node, fields, table, kernel, has_odd):
    _, height, width, count = node.input(1).shape
    values = lanes.int8_values(node.input(1))
    rows = [values[channel::count] for channel in range(count)]
    has_mac16 = context.target_packing == "mac16" or context.target_packing == "pie"
    if has_mac16 and kernel != _ANY:
        from . import mac16

        found = mac16.fitting(rows, node, fields, table) or ()
        return "mac16", [mac16.channel_3x3(channel) for channel in found]
    zero_point = node.input(0).zero_point()
    channels = lanes.Channels(rows, node.optional_input(2), zero_point, fields, table)
    if not channels.fits:
        return "", ()
    if kernel != _ANY and context.packing.get(node.index) == lanes.BYTES:
        return "lanes", [_packed_channel(channels, i, rows[i]) for i in range(count)]
    paired = kernel == _3X3
    both = paired or has_odd
    return "lanes", [
        _channel(channels, i, rows[i], height, width, both, paired) for i in range(count)
    ]


# Whether windows also begin at the second row of a word, in at least one part of an operator.
def has_odd_windows(node, fields):
    height = node.part_of[0] if node.part_of else fields["output_height"]
    return fields["stride_height"] & 1 and height > 1


# Return the bytes of scratch: parameters, a plane, and the lanes of a packed channel.
def scratch_bytes(band, height, stride, columns, padding_width, packed):
    plane = 4 * (columns * pair_rows(band, height, stride) + padding_width)
    return 4 * lanes.SCRATCH_WORDS + (_UNPACKED_BYTES if packed else 0) + plane


# Return the rows of the plane under `rows` rows of windows.
def pair_rows(rows, height, stride):
    return ((rows - 1) * stride + height + 1) // 2


# Return the number of rows of the output to compute from one plane, in bands of about equal size,
# or None if not even two rows fit. The number is even, because some kernels compute two rows at a
# time.
def band_rows(rows, height, stride, columns):
    plane_row = 4 * columns
    most = 2
    if plane_row * pair_rows(most, height, stride) > _MAX_PLANE_BYTES:
        return None
    while most < rows and plane_row * pair_rows(most + 2, height, stride) <= _PLANE_BYTES:
        most += 2
    bands = (rows + most - 1) // most
    band = (rows + bands - 1) // bands
    return band + (band & 1)


# Return the stream of one channel: bias, even weights, odd weights (after each even one if
# `paired`), multiplier. `row` are its weights; words are pairs (upper, lower) of one column.
def _channel(channels, index, row, height, width, both, paired):
    even = _pairs(row, height, width, 0)
    words = even
    if both:
        odd = _pairs(row, height, width, 1)
        words = even + odd
        if paired:
            words = [word for pair in zip(even, odd) for word in pair]
    return [channels.biases[index]] + words + list(channels.multipliers[index])


# Return the stream of one channel of a 3x3 filter with one byte a weight: bias, columns,
# multiplier. A column has its upper weight in the highest byte; the first column has the right
# shift in the lowest.
def _packed_channel(channels, index, row):
    low, high, shift = channels.multipliers[index]
    columns = [
        (row[x] & 0xFF) << 24 | (row[3 + x] & 0xFF) << 16 | (row[6 + x] & 0xFF) << 8
        for x in range(3)
    ]
    columns[0] |= shift
    return [channels.biases[index]] + columns + [low | high << 16]


# Return the words of weights for windows that begin at row `start` (0 or 1) of the first pair.
def _pairs(row, height, width, start):
    def weight(y, x):
        return row[y * width + x] if 0 <= y < height else 0

    words = []
    for y in range(0 - start, height, 2):
        words += [weight(y + 1, x) + (weight(y, x) << 16) for x in range(width)]
    return words
