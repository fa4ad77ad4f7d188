# tflm_tools: weight sums: what int8 weights add up to, by input and output channel
# MIT license; Copyright (c) 2026 the tflm authors

from operator import itemgetter, mul

# bytes.translate and sums of slices of bytes do the work: in Python's own loops the weights of a
# large model would take seconds.


# Tables for bytes.translate: of a byte that is an int8 v, v - zero where that is positive, and
# zero - v where it is negative; both are 255 at most.
def _tables(zero):
    values = [(byte ^ 0x80) - 0x80 - zero for byte in range(256)]
    return bytes(max(v, 0) for v in values), bytes(max(-v, 0) for v in values)


class WeightSums:
    """Sums of weights, those above and below zero for themselves.

    above[o][i], below[o][i]: of the weights between input channel i and output channel o, the sum
    of the positive ones, and of the negative ones without their sign.
    """

    def __init__(self, rows, channels, zero=0):
        """rows: int8 weights (bytes) of each output, input channels innermost."""
        positive, negative = _tables(zero)
        self.above = [_by_channel(row.translate(positive), channels) for row in rows]
        self.below = [_by_channel(row.translate(negative), channels) for row in rows]

    def bounds(self, low, high):
        """Lowest and highest sum of each output, for inputs low[i] ... high[i]: two lists."""
        pairs = list(zip(self.above, self.below, strict=True))
        lowest = [_dot(above, low) - _dot(below, high) for above, below in pairs]
        return lowest, [_dot(above, high) - _dot(below, low) for above, below in pairs]

    def used(self):
        """A list that says of each input channel whether it has a weight other than zero."""
        columns = zip(*self.above, *self.below, strict=True)
        return [any(column) for column in columns]

    def of_input(self, i):
        """The sums of the weights of an input channel, one for each output."""
        return [a[i] - b[i] for a, b in zip(self.above, self.below, strict=True)]


def _by_channel(row, channels):
    if len(row) == channels:
        return row
    return [sum(row[i::channels]) for i in range(channels)]


def _dot(a, b):
    return sum(map(mul, a, b))


def rows_of(tensor, outputs):
    """The bytes of the weights of each output, where these are outermost."""
    data = bytes(tensor.data)
    size = len(data) // outputs
    return [data[o * size : (o + 1) * size] for o in range(outputs)]


def columns_of(tensor):
    """The bytes of the weights of each output, where these are innermost (DEPTHWISE_CONV_2D)."""
    data, channels = bytes(tensor.data), tensor.shape[-1]
    return [data[o::channels] for o in range(channels)]


def picked(row, channels, kept):
    """The bytes of a row of which only the channels in the list `kept` are left."""
    if len(kept) == channels:
        return row
    places = [at + i for at in range(0, len(row), channels) for i in kept]
    return bytes(itemgetter(*places)(row)) if len(places) > 1 else bytes(row[i] for i in places)
