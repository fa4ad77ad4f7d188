# tflm_tools: ranges: between which values each channel of a tensor lies, whatever the inputs are
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflm import dtypes

from .probe import emissions, lookup_table, multipliers, requantize

AVERAGE_POOL, CONCATENATION, CONV, DEPTHWISE, FULLY_CONNECTED, MAX_POOL = 1, 2, 3, 4, 9, 17
RESHAPE, PAD, PADV2 = 22, 34, 60
MOST_CHANNELS = 1 << 13  # of a tensor that is looked at; real ones have fewer


def values_of(tensor):
    """The elements of a constant int8 or int32 tensor in its shape, as int64."""
    kind = {dtypes.INT8: np.int8, dtypes.INT32: np.int32}[tensor.dtype]
    return np.frombuffer(bytes(tensor.data), kind).reshape(tensor.shape).astype(np.int64)


def windows_reach_out(fields):
    """True when some window of a convolution or pool lies beside the input in part."""
    for side in ("height", "width"):
        dilation = fields.get("dilation_" + side, 1)
        reach = (fields["filter_" + side] - 1) * dilation + 1
        first = -fields["padding_" + side]
        last = first + (fields["output_" + side] - 1) * fields["stride_" + side]
        if first < 0 or last + reach > fields["input_" + side]:
            return True
    return False


# Lowest and highest value of each channel (last dimension) of the tensors of one sub-graph.
# What no rule below narrows may have any value. Accumulators are sums of products, so their
# bounds are sums of bounds; requantization is monotonic.
class Ranges:
    """range_of(tensor): (lowest, highest), arrays with a value for each channel of an int8 tensor.

    constant(tensor): the channels whose lowest and highest value are the same, as a mask.
    """

    def __init__(self, subgraph):
        self._found = {}
        for node in subgraph.nodes:
            if any(t is not None and max(t.shape[-1:], default=1) > MOST_CHANNELS
                   for t in node.inputs[:1] + node.outputs):  # fmt: skip
                continue
            rule = _RULES.get(node.builtin_code, _unary)
            if node.inputs and len(node.outputs) == 1 and node.outputs[0] is not None:
                output = node.outputs[0]
                if output.dtype == dtypes.INT8 and output.elements():
                    found = rule(self, node)
                    if found is not None:
                        self._found[output.index] = found

    def range_of(self, tensor):
        channels = tensor.shape[-1] if tensor.shape else 1
        if tensor.index in self._found:
            return self._found[tensor.index]
        if tensor.is_constant() and tensor.shape and tensor.elements():
            values = values_of(tensor).reshape(-1, channels)
            return values.min(0), values.max(0)
        return np.full(channels, -128), np.full(channels, 127)

    def constant(self, tensor):
        low, high = self.range_of(tensor)
        return low == high


# Bounds of weight * (x - zero point) for x of a range.
def _products(weights, low, high):
    a, b = weights * low, weights * high
    return np.minimum(a, b), np.maximum(a, b)


# The record of a node if it is the portable int8 kernel of `file`, else None.
def int8_record(node, file):
    found = emissions(node)
    if len(found) != 1 or found[0].kernel != file + ".eval_int8":
        return None
    weights, bias = node.input(1), node.optional_input(2)
    if not weights.is_constant() or weights.dtype != dtypes.INT8:
        return None
    return found[0] if bias is None or bias.is_constant() else None


# From bounds of the accumulators without bias, a value for each channel, to those of the output.
def _outputs(node, record, low, high):
    bias = node.optional_input(2)
    if bias is not None and bias.elements():
        values = values_of(bias).reshape(-1)[: len(low)]
        low, high = low + values, high + values
    factors, shifts = multipliers(record)
    factors, shifts = factors[: len(low)], shifts[: len(low)]
    found = [requantize(sums, factors, shifts, record.fields) for sums in (low, high)]
    return None if found[0] is None or found[1] is None else tuple(found)


def _conv(ranges, node):
    record = int8_record(node, "conv")
    source, weights = node.input(0), values_of(node.input(1)) if record else None
    if record is None or record.fields["filter_channels"] != source.shape[3]:
        return None
    low, high = (x - source.zero_point() for x in ranges.range_of(source))
    low, high = _products(weights, low, high)
    if windows_reach_out(record.fields):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    return _outputs(node, record, low.sum((1, 2, 3)), high.sum((1, 2, 3)))


def _depthwise(ranges, node):
    record = int8_record(node, "depthwise_conv")
    if record is None:
        return None
    source, weights = node.input(0), values_of(node.input(1))
    multiplier = weights.shape[3] // source.shape[3]
    low, high = (np.repeat(x, multiplier) - source.zero_point() for x in ranges.range_of(source))
    low, high = _products(weights, low, high)
    if windows_reach_out(record.fields):
        low, high = np.minimum(low, 0), np.maximum(high, 0)
    return _outputs(node, record, low.sum((0, 1, 2)), high.sum((0, 1, 2)))


def _fully_connected(ranges, node):
    record = int8_record(node, "fully_connected")
    source = node.input(0)
    if record is None or not source.shape or not source.shape[-1]:
        return None
    channels, depth = record.fields["output_channels"], record.fields["depth"]
    weights = values_of(node.input(1)).reshape(-1, depth)[:channels]
    weights = weights - (record.fields["weights_offset"] - 128)
    if depth % source.shape[-1]:
        return None
    times = depth // source.shape[-1]
    low, high = (np.tile(x, times) - source.zero_point() for x in ranges.range_of(source))
    low, high = _products(weights, low, high)
    return _outputs(node, record, low.sum(1), high.sum(1))


# Pools give nothing outside the range of what they see, but for the activation's limits.
def _pool(ranges, node):
    found = emissions(node)
    if len(found) != 1:
        return None
    low, high = ranges.range_of(node.input(0))
    limits = found[0].fields["activation_min"], found[0].fields["activation_max"]
    return np.clip(low, *limits), np.clip(high, *limits)


def _reshape(ranges, node):
    source, target = node.input(0), node.output(0)
    if source.dtype != dtypes.INT8 or not source.shape or not target.shape:
        return None
    if target.shape[-1] % source.shape[-1]:
        return None
    times = target.shape[-1] // source.shape[-1]
    return tuple(np.tile(x, times) for x in ranges.range_of(source))


# The padding is the zero point, or a value of its own.
def _pad(ranges, node):
    source, target = node.input(0), node.output(0)
    given = node.optional_input(2)
    if not source.shape or not source.elements() or source.shape[-1] != target.shape[-1]:
        return None
    if given is not None and not given.is_constant():
        return None
    value = target.zero_point() if given is None else int(values_of(given).reshape(-1)[0])
    low, high = ranges.range_of(source)
    return np.minimum(low, value), np.maximum(high, value)


def _concatenation(ranges, node):
    rank = len(node.output(0).shape)
    if not rank or node.options(10).get(0, "i") % rank != rank - 1:
        return None
    found = [ranges.range_of(tensor) for tensor in node.inputs]
    return tuple(np.concatenate(x) for x in zip(*found, strict=True))


# What a table makes of the values of a range; it need not be monotonic.
def _unary(ranges, node):
    source, target = node.inputs[0], node.output(0)
    if source is None or source.dtype != dtypes.INT8 or source.shape != target.shape:
        return None
    table = lookup_table(node) if len(node.inputs) == 1 and source.shape else None
    if table is None:
        return None
    low, high = ranges.range_of(source)
    parts = [table[a + 128 : b + 129] for a, b in zip(low, high, strict=True)]
    kinds = np.array([part.min() for part in parts]), np.array([part.max() for part in parts])
    return tuple(x.astype(np.int64) for x in kinds)


_RULES = {
    AVERAGE_POOL: _pool,
    CONCATENATION: _concatenation,
    CONV: _conv,
    DEPTHWISE: _depthwise,
    FULLY_CONNECTED: _fully_connected,
    MAX_POOL: _pool,
    RESHAPE: _reshape,
    PAD: _pad,
    PADV2: _pad,
}
