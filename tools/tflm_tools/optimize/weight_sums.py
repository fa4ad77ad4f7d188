# tflm_tools: weight_sums: sums of int8 weights for each input and output channel
# MIT license; Copyright (c) 2026 the tflm authors

from operator import itemgetter, mul

# The functions here use bytes.translate and sums of slices of bytes, because loops in Python over
# the weights of a large model need seconds.


# Two tables for bytes.translate. They map an int8 v to max(v - zero, 0) and to max(zero - v, 0);
# both are at most 255.
def _tables(zero):
    values = [(byte ^ 0x80) - 0x80 - zero for byte in range(256)]
    return bytes(max(v, 0) for v in values), bytes(max(-v, 0) for v in values)


class WeightSums:
    """Sums of weights, positive and negative weights separately.

    above[o][i]: the sum of the positive weights between input channel i and output channel o.
    below[o][i]: the sum of the absolute values of the negative weights between them.
    """

    def __init__(self, rows, channels, zero=0):
        """rows: int8 weights (bytes) of each output, input channels innermost. channels: their
        number. zero: the zero point of the weights."""
        positive, negative = _tables(zero)
        self.above = [_by_channel(row.translate(positive), channels) for row in rows]
        self.below = [_by_channel(row.translate(negative), channels) for row in rows]

    def bounds(self, low, high):
        """Return the lowest and highest sum of each output, for inputs in low[i]..high[i]."""
        pairs = list(zip(self.above, self.below, strict=True))
        lowest = [_dot(above, low) - _dot(below, high) for above, below in pairs]
        return lowest, [_dot(above, high) - _dot(below, low) for above, below in pairs]

    def used(self):
        """Return a list of bools: whether each input channel has a weight other than zero."""
        columns = zip(*self.above, *self.below, strict=True)
        return [any(column) for column in columns]

    def of_input(self, i):
        """Return the sums of the weights of an input channel, one for each output."""
        return [a[i] - b[i] for a, b in zip(self.above, self.below, strict=True)]


def _by_channel(row, channels):
    if len(row) == channels:
        return row
    return [sum(row[i::channels]) for i in range(channels)]


def _dot(a, b):
    return sum(map(mul, a, b))


def rows_of(tensor, outputs):
    """Return the bytes of the weights of each output; outputs are the outermost dimension."""
    data = bytes(tensor.data)
    size = len(data) // outputs
    return [data[o * size : (o + 1) * size] for o in range(outputs)]


def columns_of(tensor):
    """Return the bytes of the weights of each output; outputs are the innermost dimension."""
    data, channels = bytes(tensor.data), tensor.shape[-1]
    return [data[o::channels] for o in range(channels)]


def picked(row, channels, kept):
    """Return the bytes of a row with only the channels in the list `kept`."""
    if len(kept) == channels:
        return row
    indices = [at + i for at in range(0, len(row), channels) for i in kept]
    return bytes(itemgetter(*indices)(row)) if len(indices) > 1 else bytes(row[i] for i in indices)
