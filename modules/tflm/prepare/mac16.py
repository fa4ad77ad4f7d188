# tflm: weights as halfwords of one channel after the other, for MAC16 of Xtensa: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .dsp import FOLDED, channels, halves, words
from .lanes import BYTES, GROUP, QUAD

# Records have the layouts of weights in lanes (conv_lanes.py, depthwise_lanes.py), with the same
# sizes and another stream. MAC16 adds one product of halfwords at a time to one accumulator, so
# that the weights of each channel are contiguous. Inputs are unpacked with 128 added, which the
# bias compensates. Sums and multipliers are the same as in prepare/dsp.py: twice TFLM's sum, or a
# sum that requires a single multiplication (prepare/folding.py).

_TOO_LARGE = 128  # added to inputs, and to weights that have one byte


# Return a dsp.Channel for each channel, with weights `rows`, or None if one does not fit.
# `packing` says how the weights are stored: single bytes always have a factor of 2.
def fitting(rows, node, fields, table, packing=None):
    bias, zero_point = node.optional_input(2), node.input(0).zero_point()
    found = channels(rows, bias, zero_point, fields, bytearray(table), packing != BYTES)
    if found and packing == BYTES and [channel for channel in found if channel.factor != 2]:
        return None
    return found


# Return the four words after the weights of a channel: its bias; the multiplier of its sums; the
# right shift, or -1 for a single multiplication; half of the divisor of the shift.
def _numbers(bias, weights, channel):
    kind = FOLDED if channel.folded else 0
    shift = channel.shift
    return [
        bias - _TOO_LARGE * sum(weights),
        channel.tail(kind)[0],
        -1 if kind else shift,
        0 if kind else 1 << shift >> 1,
    ]


# Return the bias and weights of a channel, see dsp.Channel.
def _scaled(channel):
    return channel.scaled(FOLDED if channel.folded else 0)


# Return the stream of a matrix: for each channel its weights, of four elements in a row first 0
# and 2, then 1 and 3, or single bytes in order; then its numbers. Channels that fill up the last
# group are zeros.
def stream(found, packing):
    chunks = []
    for channel in found:
        bias, row = _scaled(channel)
        numbers = words(_numbers(bias, row, channel))
        if packing == BYTES:
            chunks += [bytes([w + _TOO_LARGE for w in channel.row]), numbers]
            continue
        pairs = []
        for at in range(0, len(row), QUAD):
            pairs += [halves(row[at], row[at + 2]), halves(row[at + 1], row[at + 3])]
        chunks += [words(pairs), numbers]
    size = len(found[0].row) * (1 if packing == BYTES else 2)
    empty = bytes([_TOO_LARGE] if packing == BYTES else 1) * size + words([0, 0, 1, 1])
    return b"".join(chunks) + empty * (0 - len(found) & GROUP - 1)


# Return the stream of one channel of a 3x3 filter in words: pairs of the upper two rows of each
# column; the lowest row; its numbers.
def channel_3x3(channel):
    bias, row = _scaled(channel)
    pairs = [halves(row[x], row[3 + x]) for x in range(3)]
    return pairs + [halves(row[6], row[7]), halves(row[8], 0)] + _numbers(bias, row, channel)
