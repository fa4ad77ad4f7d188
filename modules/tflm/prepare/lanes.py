# tflm: weights in pairs of 16-bit lanes, for kernels that multiply two int8 values at once
# MIT license; Copyright (c) 2026 the tflm authors

import struct

# A pair of inputs (x0, x1) is the word x0 + (x1 << 16), its weights are w1 + (w0 << 16). The upper
# half of their product is x0 * w0 + x1 * w1, the lower half x0 * w1, which only rounds. This is
# exact if no weight is -128. Of four elements in a row, 0 and 2 are a pair, and 1 and 3, so that
# the bytes of a word of inputs become two words with few instructions.

GROUP = 4  # output channels that are computed together
QUAD = 4  # elements that become two words of lanes
SCRATCH_WORDS = 32  # at the start of the scratch buffer, for parameters or accumulators

# How a node's weights are stored: context.packing has it, or LANES by default. DENSE are bytes
# that are used once (dense.py), if no other kernel requires another order.
# bytes that are used once (dense.py), where nothing else needs them in another order.
IN_PLACE, BYTES, LANES, DENSE = 0, 1, 2, 3

_LANE_BYTES = 2048  # bytes of inputs that a kernel unpacks at a time
_MAX_LANE_BYTES = 4096  # if it holds a whole row, or if _LANE_BYTES does not hold one pixel
MAX_GROUP_BYTES = 8192
_MAX_ACCUMULATOR = 1 << 30


# Return the length of `run` rounded up to whole words.
def padded(run):
    return (run + QUAD - 1) & (0 - QUAD)


# Return how many pixels of `rows` rows of `pixels` to unpack at a time: some whole rows, or a part
# of a row, in blocks of about equal size. None if not even one pixel fits. The first pixel of a
# row requires `first` bytes of lanes, each other pixel `step`. lane_bytes: of all of them, if
# context.lane_bytes has it; by default parts of rows, or one row, but several rows of one pixel.
def block_pixels(rows, pixels, first, step, lane_bytes=None):
    if first > _MAX_LANE_BYTES:
        return None
    row = first + (pixels - 1) * step
    if pixels == 1:
        lane_bytes = lane_bytes or _LANE_BYTES
    if lane_bytes and row <= lane_bytes:
        return pixels * _equal(rows, lane_bytes // row)
    if not lane_bytes and row <= _MAX_LANE_BYTES:
        return pixels
    most = lane_bytes or _LANE_BYTES
    return _equal(pixels, 1 + (most - first) // step if first < most else 1)


# Return the size of about equal parts of `count` that are at most `most`.
def _equal(count, most):
    number = (count + most - 1) // most
    return (count + number - 1) // number


# What the kernels require of the quantization of a node, if it is supported.
class Channels:
    """Biases (input zero point folded in) and multipliers of each output channel.

    fits: False if an accumulator could be too large, or a multiplier is above 1.
    """

    # `rows`: the weights of each channel; `table`: from common.requantize_table().
    def __init__(self, rows, bias, zero_point, fields, table):
        count = len(rows)
        values = struct.unpack("<%di" % count, bytes(bias.data)[: 4 * count]) if bias else None
        self.biases = []
        self.multipliers = []
        self.fits = True
        for channel in range(count):
            row = rows[channel]
            value = values[channel] if values else 0
            k = channel if fields["per_channel"] else 0
            multiplier = struct.unpack_from("<I", table, 4 * k)[0]
            shift = table[4 * fields["channels"] + k] - 32
            largest = abs(value) + 255 * sum([abs(w) for w in row])
            if largest >= _MAX_ACCUMULATOR and not any(row) and fields["per_channel"]:
                value = 2 * _requantized(value, multiplier, shift, fields)
                multiplier, shift = 1 << 30, 0
                largest = 0
            if largest >= _MAX_ACCUMULATOR or shift > 0 or -128 in row:
                self.fits = False
                return
            self.biases.append(value - zero_point * sum(row))
            self.multipliers.append((multiplier & 0xFFFF, multiplier >> 16, 0 - shift))


# Return what kernels/requantize.py makes of a value, without the zero point. Some converters give
# channels without weights biases of 2**30 and more. A small bias with a multiplier of one half
# gives the same output, and keeps all accumulators below 2**30.
def _requantized(value, multiplier, shift, fields):
    zero_point = fields["output_zero_point"]
    if shift > 0:
        limit = 0x3FFFFFFF >> shift | 1
        value = max(0 - limit, min(limit, value)) << shift
        shift = 0
    value = (value * multiplier + (1 << 30)) >> 31
    if shift:
        value = ((value - (value < 0)) >> (0 - shift - 1)) + 1 >> 1
    low, high = fields["activation_min"], fields["activation_max"]
    return max(low - zero_point, min(high - zero_point, value))


# Whether weights and bias can be packed at all.
def packable(context, node):
    bias = node.optional_input(2)
    if context.packing.get(node.index) == IN_PLACE:
        return False
    return node.input(1).is_constant() and (bias is None or bias.is_constant())


# Return the int8 values of a constant tensor, from `start` on.
def int8_values(tensor):
    data = bytes(tensor.data)
    return struct.unpack("<%db" % len(data), data)


# Return two weights as a word.
def _word(w0, w1):
    return (w1 + (w0 << 16)) & 0xFFFFFFFF


# Return the bytes of a weight of `size` elements a channel, and the bytes of scratch to unpack
# single bytes to lanes by groups. None if that does not fit.
def weight_bytes(context, node, size):
    packing = BYTES if context.packing.get(node.index) == BYTES else LANES
    group = group_bytes(packing, size)
    return (packing, group) if group <= MAX_GROUP_BYTES else None


# Return the bytes of scratch of a group's weights as lanes.
def group_bytes(packing, size):
    return 64 + 8 * size if packing == BYTES else 0


# Return the bytes of scratch for `lane_bytes` of inputs, of `block` pixels: parameters, lanes, and
# the outputs of an incomplete group or the bytes of a column.
def lane_scratch(lane_bytes, block, column):
    return 4 * SCRATCH_WORDS + lane_bytes + max(padded(GROUP * block), column)


# Return the stream of weights of a matrix. For each group of four channels: four biases; for each
# pair of elements one word per channel; multipliers as (low half, high half, right shift). `rows`
# have whole words. Channels that fill up the last group are zeros. With one byte a weight there is
# a word for the pairs of two channels, which is unpacked to their two words like the inputs.
def stream(rows, channels, size):
    chunks = []
    pairs = []
    for at in range(0, len(rows[0]), QUAD):
        pairs += [(at, at + 2), (at + 1, at + 3)]
    zeros = (0,) * len(rows[0])
    for first in range(0, len(rows), GROUP):
        group = rows[first : first + GROUP]
        empty = GROUP - len(group)
        group = group + [zeros] * empty
        chunks.append(_words(channels.biases[first : first + GROUP] + [0] * empty))
        weights = []
        for i, k in pairs:
            if size == LANES:
                weights += [_word(row[i], row[k]) for row in group]
                continue
            for one, two in (group[:2], group[2:]):
                weights += [one[k] & 0xFF, two[k] & 0xFF, one[i] & 0xFF, two[i] & 0xFF]
        chunks.append(_words(weights) if size == LANES else bytes(weights))
        for multiplier in channels.multipliers[first : first + GROUP] + [(0, 0, 1)] * empty:
            chunks.append(_words(multiplier))
    return b"".join(chunks)


def _words(values):
    return struct.pack("<%dI" % len(values), *[value & 0xFFFFFFFF for value in values])
