# tflm: weights as halfwords, for kernels with the DSP extension of ARMv7E-M: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .folding import fold
from .lanes import LANES

# SMLAD adds two products of halfwords to a sum. Weights are stored times a factor of their
# channel, so that requantization can use the sum directly: twice TFLM's sum (SMMULR then does
# SaturatingRoundingDoublingHighMul), twice the sum shifted left if the multiplier is above 1, or q
# times the sum if prepare/folding.py finds a single multiplication.
#
# Of four elements in a row, 0 and 2 are a pair, and 1 and 3, as SXTB16 makes them of a word.

GROUP = 4  # output channels that are computed together
QUAD = 4  # elements that become two words

TWICE, FOLDED = 0, 1  # how a group's sums become outputs

_MAX_SUM = 1 << 30
_LOWEST, _HIGHEST = -128, 127


# Return the length of `run` rounded up to whole words, or to a multiple of `unit`.
def padded(run, unit=QUAD):
    return (run + unit - 1) // unit * unit


# What the kernels require of one channel.
class Channel:
    """Bias (input zero point folded in) and multipliers of an output channel.

    fits: False if its sums or weights could be too large.
    folded: (p, q, d) of folding.fold(), or None.
    """

    # `row`: its weights; `table`: from common.requantize_table(), whose entry `k` is the
    # channel's. `folds`: False if outputs require TFLM's two roundings.
    def __init__(self, row, bias, zero_point, fields, table, k, folds=True):
        self.row = row
        self.multiplier = struct.unpack_from("<I", table, 4 * k)[0]
        shift = table[4 * fields["channels"] + k] - 32
        self.shift = max(0, 0 - shift)
        self.factor = 2 << max(0, shift)
        total, above = sum(row), sum([w for w in row if w > 0])
        self.bias = bias - zero_point * total
        low, high = _LOWEST - zero_point, _HIGHEST - zero_point
        lowest = bias + above * low + (total - above) * high
        highest = bias + above * high + (total - above) * low
        weight = max(0, max(row), 0 - min(row)) if row else 0
        largest = max(abs(lowest), abs(highest)) * (self.factor >> 1)
        self.fits = largest < _MAX_SUM and weight * self.factor <= 0x7FFF
        self.folded = None
        if self.fits and folds and shift <= 0 and is_plain_relu(fields):
            self.folded = fold(self.multiplier, self.shift, lowest, highest, 255, weight)

    # Return the bias and the weights for kernels that make outputs by `kind`.
    def scaled(self, kind):
        if kind == FOLDED:
            _, q, d = self.folded
            return q * self.bias + d, [q * w for w in self.row]
        return self.factor * self.bias, [self.factor * w for w in self.row]

    # Return the two words for the channel's outputs, see stream().
    def tail(self, kind):
        if kind == FOLDED:
            p, q, d = self.folded
            return [p, (d << 8) | q]
        return [self.multiplier, self.shift | (len(bin(self.factor)) - 3) << 8]


# Whether outputs are limited only by their type, and the lowest value is the zero point.
def is_plain_relu(fields):
    limits = fields["output_zero_point"], fields["activation_min"], fields["activation_max"]
    return limits == (_LOWEST, _LOWEST, _HIGHEST)


# Return a Channel for each of `rows`, or None if one does not fit. Some converters give channels
# without weights biases of 2**30 and more: these channels keep their constant output in `table`
# and in the kernels.
def channels(rows, bias, zero_point, fields, table, folds=True):
    count = len(rows)
    values = struct.unpack("<%di" % count, bytes(bias.data)[: 4 * count]) if bias else (0,) * count
    found = []
    for i in range(count):
        k = i if fields["per_channel"] else 0
        channel = Channel(rows[i], values[i], zero_point, fields, table, k, folds)
        if not channel.fits and not any(rows[i]) and fields["per_channel"]:
            value = 2 * _output(values[i], table, k, fields)
            struct.pack_into("<I", table, 4 * k, 1 << 30)
            table[4 * fields["channels"] + k] = 32
            channel = Channel(rows[i], value, zero_point, fields, table, k, folds)
        if not channel.fits:
            return None
        found.append(channel)
    return found


# Return what kernels/requantize.py makes of a value, without the zero point: a small bias with a
# multiplier of one half gives the same output.
def _output(value, table, k, fields):
    multiplier = struct.unpack_from("<I", table, 4 * k)[0]
    shift = table[4 * fields["channels"] + k] - 32
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


# Return the int8 values of a constant tensor.
def int8_values(tensor):
    data = bytes(tensor.data)
    return struct.unpack("<%db" % len(data), data)


# Whether weights and bias can be packed with two bytes a weight. A flash budget that requires
# fewer bytes leaves the node to prepare/lanes.py.
def packable(context, node):
    bias = node.optional_input(2)
    if context.packing.get(node.index, LANES) != LANES:
        return False
    return node.input(1).is_constant() and (bias is None or bias.is_constant())


# Return the stream of weights of a matrix. For each group of four channels: how its sums become
# outputs; four biases; for each pair of elements one word per channel; eight words for the
# outputs: (multiplier, right shift | power of 2 of the factor << 8) of each channel, or four
# multipliers p and four words d << 8 | q. A shift by a register reads its lowest byte only.
# Channels that fill up the last group are zeros.
def stream(found):
    chunks = []
    for first in range(0, len(found), GROUP):
        group = found[first : first + GROUP]
        empty = GROUP - len(group)
        kind = FOLDED if all([channel.folded for channel in group]) else TWICE
        scaled = [channel.scaled(kind) for channel in group]
        scaled += [(0, [0] * len(group[0].row))] * empty
        chunks.append(words([kind] + [bias for bias, _ in scaled]))
        weights = []
        for at in range(0, len(group[0].row), QUAD):
            for i in (at, at + 1):
                weights += [halves(row[i], row[i + 2]) for _, row in scaled]
        chunks.append(words(weights))
        tails = [channel.tail(kind) for channel in group]
        tails += [[0, 1 if kind == FOLDED else 0]] * empty  # 1: the factor, never 0
        if kind == FOLDED:
            chunks.append(words([p for p, _ in tails] + [word for _, word in tails]))
        else:
            chunks += [words(tail) for tail in tails]
    return b"".join(chunks)


# Return two halfwords as a word.
def halves(bottom, top):
    return (bottom & 0xFFFF) | (top & 0xFFFF) << 16


def words(values):
    return struct.pack("<%dI" % len(values), *[value & 0xFFFFFFFF for value in values])
