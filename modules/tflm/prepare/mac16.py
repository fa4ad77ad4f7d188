# tflm: weights as halfwords of one channel after the other, for MAC16 of Xtensa: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .dsp import FOLDED, channels, halves, words
from .lanes import BYTES, GROUP, QUAD

# Records are those of weights in lanes (conv_lanes.py, depthwise_lanes.py), of the same sizes,
# with another stream. MAC16 adds one product of halfwords at a time to one accumulator, so that
# each channel has its weights together. Inputs are unpacked as they are, 128 too large, which the
# bias makes up for. Sums and multipliers are those of prepare/dsp.py: twice the sum of TFLM, or
# one that needs a single multiplication (prepare/folding.py).

_TOO_LARGE = 128  # what inputs are, and weights that have one byte


# What each channel needs (dsp.Channel), `rows` being their weights; None when one does not fit.
# `way` is how the weights are stored: single bytes are all made twice as large, nothing else.
def fitting(rows, node, fields, table, way=None):
    bias, zero_point = node.optional_input(2), node.input(0).zero_point()
    found = channels(rows, bias, zero_point, fields, bytearray(table), way != BYTES)
    if found and way == BYTES and [channel for channel in found if channel.factor != 2]:
        return None
    return found


# The four words behind the weights of a channel: its bias; what multiplies its sums; the right
# shift, or -1 where one multiplication is all; half of what that divides by.
def _numbers(bias, weights, channel):
    kind = FOLDED if channel.folded else 0
    shift = channel.shift
    return [
        bias - _TOO_LARGE * sum(weights),
        channel.tail(kind)[0],
        -1 if kind else shift,
        0 if kind else 1 << shift >> 1,
    ]


# The bias and weights of a channel, see dsp.Channel.
def _scaled(channel):
    return channel.scaled(FOLDED if channel.folded else 0)


# The stream of a matrix: for each channel its weights, of four elements in a row first 0 and 2,
# then 1 and 3, or single bytes in order; then its numbers. Channels that fill up the last group
# are zeros.
def stream(found, way):
    parts = []
    for channel in found:
        bias, row = _scaled(channel)
        numbers = words(_numbers(bias, row, channel))
        if way == BYTES:
            parts += [bytes([w + _TOO_LARGE for w in channel.row]), numbers]
            continue
        pairs = []
        for at in range(0, len(row), QUAD):
            pairs += [halves(row[at], row[at + 2]), halves(row[at + 1], row[at + 3])]
        parts += [words(pairs), numbers]
    size = len(found[0].row) * (1 if way == BYTES else 2)
    empty = bytes([_TOO_LARGE] if way == BYTES else 1) * size + words([0, 0, 1, 1])
    return b"".join(parts) + empty * (0 - len(found) & GROUP - 1)


# The stream of one channel of 3x3, in words: pairs of the upper two rows of each column; the
# lowest row; its numbers.
def channel_3x3(channel):
    bias, row = _scaled(channel)
    pairs = [halves(row[x], row[3 + x]) for x in range(3)]
    return pairs + [halves(row[6], row[7]), halves(row[8], 0)] + _numbers(bias, row, channel)
