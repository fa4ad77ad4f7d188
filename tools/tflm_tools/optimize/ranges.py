# tflm_tools: ranges: computes bounds for the values of each channel, valid for all inputs
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from tflm import dtypes

from ..model.schema import BuiltinOperator, option
from .emissions import emissions, lookup_table, multipliers, requantize
from .weight_sums import WeightSums, columns_of, rows_of

MAX_CHANNELS = 1 << 13  # tensors with more channels are not analysed


def values_of(tensor):
    """Return the elements of a constant int8 or int32 tensor as a flat tuple."""
    kind = {dtypes.INT8: "b", dtypes.INT32: "i"}[tensor.dtype]
    return struct.unpack(f"<{tensor.elements()}{kind}", bytes(tensor.data))


def windows_reach_out(fields):
    """True when some window of a convolution or pool reaches beyond the input.

    fields: of the record.
    """
    for side in ("height", "width"):
        dilation = fields.get("dilation_" + side, 1)
        reach = (fields["filter_" + side] - 1) * dilation + 1
        first = -fields["padding_" + side]
        last = first + (fields["output_" + side] - 1) * fields["stride_" + side]
        if first < 0 or last + reach > fields["input_" + side]:
            return True
    return False


class Ranges:
    """The lowest and highest value of each channel of the int8 tensors of a sub-graph.

    Channels are the last dimension. The functions in _RULES compute the bounds of an operator's
    output from the bounds of its inputs: accumulators are sums of products, so their bounds are
    sums of bounds, and requantization is monotonic. All other tensors may have any value.
    """

    def __init__(self, subgraph):
        self._found = {}
        for node in subgraph.nodes:
            if any(t is not None and max(t.shape[-1:], default=1) > MAX_CHANNELS
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
        """Return (lowest, highest) of a tensor: two lists with a value for each channel."""
        channels = tensor.shape[-1] if tensor.shape else 1
        if tensor.index in self._found:
            return self._found[tensor.index]
        if tensor.is_constant() and tensor.shape and tensor.elements():
            values = values_of(tensor)
            columns = [values[i::channels] for i in range(channels)]
            return [min(column) for column in columns], [max(column) for column in columns]
        return [-128] * channels, [127] * channels


def int8_record(node, file):
    """Return the record of a node that the int8 kernel in `file` computes, else None.

    The node must have constant int8 weights and no bias, or a constant bias.
    """
    found = emissions(node)
    if len(found) != 1 or found[0].kernel != file + ".eval_int8":
        return None
    weights, bias = node.input(1), node.optional_input(2)
    if not weights.is_constant() or weights.dtype != dtypes.INT8:
        return None
    return found[0] if bias is None or bias.is_constant() else None


# The bounds of the output, from the bounds of each channel's accumulator without its bias; None if
# an accumulator could overflow.
def _outputs(node, record, low, high):
    bias = node.optional_input(2)
    if bias is not None and bias.elements():
        values = values_of(bias)
        low, high = ([x + v for x, v in zip(sums, values, strict=False)] for sums in (low, high))
    factors = multipliers(record)
    if len(factors) == 1:  # one multiplier for all channels
        factors *= len(low)
    found = [
        [requantize(x, *factor, record.fields) for x, factor in zip(sums, factors, strict=False)]
        for sums in (low, high)
    ]
    return None if any(None in values for values in found) else tuple(found)


# The bounds of a tensor minus its zero point. They include 0 if windows reach beyond the tensor,
# because the pixels there add 0.
def _around_zero(ranges, source, reaches_out):
    low, high = ([x - source.zero_point() for x in found] for found in ranges.range_of(source))
    if reaches_out:
        return [min(x, 0) for x in low], [max(x, 0) for x in high]
    return low, high


def _conv(ranges, node):
    record = int8_record(node, "conv")
    if record is None or record.fields["filter_channels"] != node.input(0).shape[3]:
        return None
    source, weights = node.input(0), node.input(1)
    low, high = _around_zero(ranges, source, windows_reach_out(record.fields))
    sums = WeightSums(rows_of(weights, weights.shape[0]), source.shape[3])
    return _outputs(node, record, *sums.bounds(low, high))


def _depthwise(ranges, node):
    record = int8_record(node, "depthwise_conv")
    if record is None:
        return None
    source, weights = node.input(0), node.input(1)
    multiplier = weights.shape[3] // source.shape[3]
    low, high = _around_zero(ranges, source, windows_reach_out(record.fields))
    sums = WeightSums(columns_of(weights), 1)
    inputs = [o // multiplier for o in range(weights.shape[3])]
    channels = list(zip(sums.above, sums.below, inputs, strict=True))
    lowest = [a[0] * low[i] - b[0] * high[i] for a, b, i in channels]
    return _outputs(node, record, lowest, [a[0] * high[i] - b[0] * low[i] for a, b, i in channels])


def _fully_connected(ranges, node):
    record = int8_record(node, "fully_connected")
    source = node.input(0)
    if record is None or not source.shape or not source.shape[-1]:
        return None
    if record.fields["depth"] % source.shape[-1]:
        return None
    low, high = _around_zero(ranges, source, False)
    return _outputs(node, record, *fully_connected_sums(node, record).bounds(low, high))


def fully_connected_sums(node, record):
    """Return the WeightSums of a FULLY_CONNECTED, by channels (last dimension) of its input."""
    weights, depth = node.input(1), record.fields["depth"]
    rows = rows_of(weights, weights.elements() // depth)[: record.fields["output_channels"]]
    return WeightSums(rows, node.input(0).shape[-1], record.fields["weights_offset"] - 128)


# The output of a pool is within the bounds of its input and the limits of its activation.
def _pool(ranges, node):
    found = emissions(node)
    if len(found) != 1:
        return None
    least, most = found[0].fields["activation_min"], found[0].fields["activation_max"]
    return tuple(
        [min(max(x, least), most) for x in side] for side in ranges.range_of(node.input(0))
    )


def _reshape(ranges, node):
    source, target = node.input(0), node.output(0)
    if source.dtype != dtypes.INT8 or not source.shape or not target.shape:
        return None
    if target.shape[-1] % source.shape[-1]:
        return None
    times = target.shape[-1] // source.shape[-1]
    return tuple(times * list(side) for side in ranges.range_of(source))


# PAD adds pixels with the zero point, PADV2 pixels with the value of input 2.
def _pad(ranges, node):
    source, target = node.input(0), node.output(0)
    given = node.optional_input(2)
    if not source.shape or not source.elements() or source.shape[-1] != target.shape[-1]:
        return None
    if given is not None and not given.is_constant():
        return None
    value = target.zero_point() if given is None else values_of(given)[0]
    low, high = ranges.range_of(source)
    return [min(x, value) for x in low], [max(x, value) for x in high]


def _concatenation(ranges, node):
    rank = len(node.output(0).shape)
    if not rank or option(node, "AXIS", "i") % rank != rank - 1:
        return None
    found = [ranges.range_of(tensor) for tensor in node.inputs]
    return tuple([x for bounds in side for x in bounds] for side in zip(*found, strict=True))


# The least and greatest table entry between the bounds; the table need not be monotonic.
def _unary(ranges, node):
    source, target = node.inputs[0], node.output(0)
    if source is None or source.dtype != dtypes.INT8 or source.shape != target.shape:
        return None
    table = lookup_table(node) if len(node.inputs) == 1 and source.shape else None
    if table is None:
        return None
    low, high = ranges.range_of(source)
    entries = [table[a + 128 : b + 129] for a, b in zip(low, high, strict=True)]
    return [min(values) for values in entries], [max(values) for values in entries]


_RULES = {
    BuiltinOperator.AVERAGE_POOL_2D: _pool,
    BuiltinOperator.CONCATENATION: _concatenation,
    BuiltinOperator.CONV_2D: _conv,
    BuiltinOperator.DEPTHWISE_CONV_2D: _depthwise,
    BuiltinOperator.FULLY_CONNECTED: _fully_connected,
    BuiltinOperator.MAX_POOL_2D: _pool,
    BuiltinOperator.RESHAPE: _reshape,
    BuiltinOperator.PAD: _pad,
    BuiltinOperator.PADV2: _pad,
}
