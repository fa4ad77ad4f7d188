# tflm: weights as vectors of 16 bytes for the vector unit of the ESP32-S3 (PIE): Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .common import LIMITS
from .conv_lanes import is_flat, rows_of
from .dsp import channels, is_plain_relu, words
from .lanes import SCRATCH_WORDS, int8_values, packable

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
VECTOR = 16  # bytes

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
_SCRATCH_BYTES = 4 * SCRATCH_WORDS  # parameters
_BLOCK_BYTES = 2048  # of inputs that are copied at a time
_MAX_BLOCK_BYTES = 8192  # if _BLOCK_BYTES does not hold a single window
_MAX_PLANE_BYTES = 8192  # three rows of all channels, for DEPTHWISE_CONV_2D
_SPEED = 16  # a multiply-accumulate of these kernels is that much faster
_SIDE = 3
_SCALE_BITS = 12  # of DEPTHWISE_CONV_2D: q is a power of 2, and s has the same number of bits
_MAX_SCALE_BITS = 12
_MAX_SHIFT = 31
_NEIGHBOURS = (0, 1, -1, 2, -2, 3, -3)  # differences of p to try
_MAX = 1 << 31


# Return the length of `size` rounded up to whole vectors.
def padded(size):
    return (size + VECTOR - 1) & (0 - VECTOR)


# Emit a CONV_2D with the `fields` and `table` of conv.py. Return False if it is not supported.
def emit_conv(context, node, fields, table):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    _, height, width, depth = weights.shape
    if not packable(context, node) or not target.elements() or not weights.elements():
        return False
    if depth != fields["input_channels"] or fields["dilation_width"] > 1:
        return False
    geometry = _geometry(fields, height, width, depth)
    column, count = geometry["column_bytes"], geometry["window_columns"]
    rows, pixels = target.shape[0] * target.shape[1], target.shape[2]
    flat = is_flat(fields, height, width)
    if flat:
        geometry["row_bytes"] = source.elements()
        rows, pixels = 1, rows * pixels
    window, step = column * count, column * geometry["pixel_columns"]
    if window > _MAX_BLOCK_BYTES:
        return False
    block, block_rows, size = _block(rows, pixels, window, step)
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


# How the input is cut into columns.
def _geometry(fields, height, width, depth):
    stride = fields["stride_width"]
    geometry = {
        "filter_height": height,
        "row_bytes": fields["input_width"] * depth,
        "padding_bytes": fields["padding_width"] * depth,
    }
    run, columns, step, column_step = depth * width, 1, 1, stride * depth
    is_whole = depth % 4 == 0
    if is_whole and stride < width:
        run, columns, step, column_step = depth, width, stride, depth
    elif is_whole and width > 1:  # a run may be partly outside of the image
        end = (fields["output_width"] - 1) * stride + width
        is_whole = not fields["padding_width"] and end <= fields["input_width"]
    geometry.update(
        {
            "column_step": column_step,
            "run": run,
            "column_bytes": padded(height * run),
            "is_whole": 1 if is_whole else 0,
            "window_columns": columns,
            "pixel_columns": step,
        }
    )
    return geometry


# Return (pixels that are copied at a time: some whole rows or a part of a row; their rows; bytes
# of scratch). The kernel reads one vector after the last one.
def _block(rows, pixels, window, step):
    row = window + (pixels - 1) * step
    count = 1
    if row <= _BLOCK_BYTES:
        count = min(rows, _BLOCK_BYTES // row)
        block = count * pixels
    else:
        block = max(1, 1 + (_BLOCK_BYTES - window) // step)
        row = window + (block - 1) * step
    return block, count, _SCRATCH_BYTES + count * row + VECTOR


# Emit a FULLY_CONNECTED with the `fields` and `table` of fully_connected.py. Return False if it is
# not supported.
def emit_fully_connected(context, node, fields, table):
    source, target = node.input(0), node.output(0)
    depth, count = fields["depth"], fields["output_channels"]
    if not packable(context, node) or not target.elements() or not depth:
        return False
    size = padded(depth)
    if size > _MAX_BLOCK_BYTES:
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
        scratch=context.request_scratch_buffer(_SCRATCH_BYTES + size + VECTOR),
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
        scratch=context.request_scratch_buffer(_SCRATCH_BYTES + size),
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
        numbers = _folded(channel, zero_point) if is_plain_relu(fields) else None
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
            folded = _fold(channel, zero_point, _SCALE_BITS, _SCALE_BITS)
            if folded is None:
                return None
            numbers += folded
        empty = VECTOR - len(group)
        for i in range(_SIDE**2):
            chunks.append(bytes([channel.row[i] & 0xFF for channel in group] + [0] * empty))
        chunks.append(words(numbers + [0, 0] * empty))
    return b"".join(chunks)


# Return (d, p, -1 - s, q) of FOLDED, or None. Large q and p are the most precise.
def _folded(channel, zero_point):
    lowest, highest = _range(channel, zero_point)
    largest = max(abs(lowest), abs(highest)) + (256 << channel.shift)
    bits = _MAX_SCALE_BITS
    while bits and largest << bits >= _MAX:
        bits -= 1
    shift = min(_MAX_SHIFT, max(0, channel.shift + bits - 1))
    folded = _fold(channel, zero_point, bits, shift)
    return (folded[0], folded[1], -1 - shift, 1 << bits) if folded else None


# Return (d, p) of FOLDED for q = 2**bits, or None.
def _fold(channel, zero_point, bits, shift):
    lowest, highest = _range(channel, zero_point)
    steps = _steps(channel, lowest, highest)
    if lowest == highest:  # a constant output, whose bias may be too large for the rest
        k = -128 if steps[1] is None else steps[1]
        return (2 * k + 1) << (1 + shift), _MAX >> 1
    left = 1 + shift - channel.shift - bits
    middle = channel.multiplier << left if left >= 0 else channel.multiplier >> 0 - left
    for p in [middle + i for i in _NEIGHBOURS]:
        if 0 < p < _MAX:
            d = _offset(steps, 1 << bits, p, 32 + shift, lowest, highest)
            if d is not None:
                return d + (channel.bias << bits), p
    return None


# Return (lowest, highest) sum of a channel, with its bias, for any inputs.
def _range(channel, zero_point):
    total, above = sum(channel.row), sum([w for w in channel.row if w > 0])
    low, high = -128 - zero_point, 127 - zero_point
    below = total - above
    bias = channel.bias + zero_point * total
    return bias + above * low + below * high, bias + above * high + below * low


# Return the steps between outputs: [(output above -128, smallest sum of this output)] of those
# that sums reach, first the two at which most factors fail; the last output whose sums are all
# that exist or None; the first output that no sum reaches or None. See prepare/folding.py.
def _steps(channel, lowest, highest):
    multiplier, shift = channel.multiplier, channel.shift
    reached, rests, below, above = [], [], None, None
    if not multiplier:
        return reached, below, -127
    exact = ((((1 << shift) + 1) >> 1) << 31) - (1 << 30)
    for k in range(-127, 128):
        at = 0 - ((0 - exact) // multiplier)
        if at > highest:
            above = k
            break
        if at <= lowest:
            below = k
        else:
            reached.append((k, at))
            rests.append(at * multiplier - exact)
        exact += 1 << (31 + shift)
    if reached:
        hardest = [reached[rests.index(min(rests))], reached[rests.index(max(rests))]]
        reached = hardest + reached
    return reached, below, above


# Return a d with which ((q * a + d) * p) >> bits has these steps for all sums a, or None: each
# step has q * at + d >= c > q * (at - 1) + d, where c = k * 2**bits / p, rounded up.
def _offset(steps, q, p, bits, lowest, highest):
    reached, below, above = steps
    low, high = 0 - _MAX - q * lowest, _MAX - 1 - q * highest
    if below is not None:
        low = max(low, 0 - (0 - below << bits) // p - q * lowest)
    if above is not None:
        high = min(high, 0 - (0 - above << bits) // p - q * highest - 1)
    for k, at in reached:
        d = 0 - (0 - k << bits) // p - q * at
        low = max(low, d)
        high = min(high, d + q - 1)
        if low > high:
            return None
    return low if low <= high else None
