# tflm_tools: channels: finds channels that must be removed together, and cuts weights
# MIT license; Copyright (c) 2026 the tflm authors

import struct
from array import array

from tflm import dtypes

from ..model.graph import copy_quantization, set_channels
from ..model.model_file import bits_to_float
from ..model.schema import BuiltinOperator, option
from .emissions import emissions, lookup_table
from .ranges import (
    MAX_CHANNELS,
    fully_connected_sums,
    int8_record,
    values_of,
    windows_reach_out,
)
from .weight_sums import WeightSums, picked, rows_of


class Role:
    """How an operator uses channels.

    links: [(tensor, channels, other tensor, other channels)]; the two lists have equal length, and
    the channels at equal positions can only be removed together.
    makes: True if each output channel is computed by weights of its own.
    reads: the Reads of a convolution or FULLY_CONNECTED, else None.
    """

    def __init__(self, links=(), makes=False, reads=None):
        self.links = links
        self.makes = makes
        self.reads = reads


class Reads:
    """How the sums of a convolution or FULLY_CONNECTED depend on the input channels.

    used: for each channel, whether it has a weight other than zero. sums: the WeightSums that give
    the contribution of a constant channel. reaches_out: some windows reach beyond the input, where
    a channel contributes less.
    """

    def __init__(self, sums, reaches_out):
        self.used = sums.used()
        self.sums = sums
        self.reaches_out = reaches_out


# The link between channels of equal number in two tensors.
def _same(source, target):
    numbers = range(source.shape[-1])
    return (source, numbers, target, numbers)


def role_of(node):
    """Return the Role of a node; None if no channel of its tensors may be removed."""
    if len(node.outputs) != 1 or any(t is None for t in node.outputs + node.inputs[:1]):
        return None
    tensors = [t for t in node.outputs + node.inputs if t is not None and not t.is_constant()]
    if any(not t.shape or not t.elements() or t.shape[-1] > MAX_CHANNELS for t in tensors):
        return None
    if node.output(0).dtype != dtypes.INT8:
        return None
    return _ROLES.get(node.builtin_code, _unary_role)(node)


def _conv_role(node):
    record = int8_record(node, "conv")
    if record is None or record.fields["filter_channels"] != node.input(0).shape[3]:
        return None
    weights = node.input(1)
    sums = WeightSums(rows_of(weights, weights.shape[0]), weights.shape[3])
    return Role(makes=True, reads=Reads(sums, windows_reach_out(record.fields)))


def _depthwise_role(node):
    source, target = node.input(0), node.output(0)
    if int8_record(node, "depthwise_conv") is None:
        return None
    outputs, multiplier = range(target.shape[3]), target.shape[3] // source.shape[3]
    return Role([(source, [o // multiplier for o in outputs], target, outputs)])


def _fully_connected_role(node):
    record = int8_record(node, "fully_connected")
    source = node.input(0)
    if record is None or record.fields["depth"] % source.shape[-1]:
        return None
    if node.input(1).shape[-2] != record.fields["output_channels"]:
        return None
    bias = node.optional_input(2)
    if bias is not None and bias.elements() != record.fields["output_channels"]:
        return None
    return Role(makes=True, reads=Reads(fully_connected_sums(node, record), False))


def _pool_role(node):
    return Role([_same(node.input(0), node.output(0))])


# RESHAPE keeps the order of elements, so channel k of the output is channel k % C of the input.
def _reshape_role(node):
    source, target = node.input(0), node.output(0)
    if target.shape[-1] % source.shape[-1]:
        return None
    outputs = range(target.shape[-1])
    return Role([(source, [o % source.shape[-1] for o in outputs], target, outputs)])


def _add_role(node):
    a, b, target = node.input(0), node.input(1), node.output(0)
    if a.shape != target.shape or b.shape != target.shape or a.is_constant() or b.is_constant():
        return None
    return Role([_same(a, target), _same(b, target)])


def _pad_role(node):
    source, target = node.input(0), node.output(0)
    found = emissions(node)
    if len(found) != 1 or source.shape[-1] != target.shape[-1]:
        return None
    given = node.optional_input(2)
    if given is not None and not given.is_constant():
        return None
    return Role([_same(source, target)])


def _concatenation_role(node):
    target = node.output(0)
    rank = len(target.shape)
    if option(node, "AXIS", "i") % rank != rank - 1:
        return None
    links, first = [], 0
    for tensor in node.inputs:
        if tensor is None or tensor.is_constant() or not tensor.elements():
            return None
        count = tensor.shape[-1]
        links.append((tensor, range(count), target, range(first, first + count)))
        first += count
    return Role(links)


def _mean_role(node):
    source, target, axes = node.input(0), node.output(0), node.input(1)
    if not axes.is_constant() or axes.dtype != dtypes.INT32:
        return None
    if source.shape[-1] != target.shape[-1]:
        return None
    rank = len(source.shape)
    if any(axis % rank == rank - 1 for axis in values_of(axes)):
        return None
    return Role([_same(source, target)])


def _unary_role(node):
    source, target = node.input(0), node.output(0)
    if len(node.inputs) != 1 or source.shape != target.shape or source.dtype != dtypes.INT8:
        return None
    return Role([_same(source, target)]) if lookup_table(node) is not None else None


_ROLES = {
    BuiltinOperator.ADD: _add_role,
    BuiltinOperator.AVERAGE_POOL_2D: _pool_role,
    BuiltinOperator.CONCATENATION: _concatenation_role,
    BuiltinOperator.CONV_2D: _conv_role,
    BuiltinOperator.DEPTHWISE_CONV_2D: _depthwise_role,
    BuiltinOperator.FULLY_CONNECTED: _fully_connected_role,
    BuiltinOperator.MAX_POOL_2D: _pool_role,
    BuiltinOperator.RESHAPE: _reshape_role,
    BuiltinOperator.PAD: _pad_role,
    BuiltinOperator.PADV2: _pad_role,
    BuiltinOperator.MEAN: _mean_role,
}


def cut_weights(subgraph, node, inputs, outputs, more, cut):
    """Cut the weights, bias and scales of a node. Return True if this changed them.

    inputs, outputs: (channels that stay, channels of these whose weights become zero), two lists.
    more: an integer for each output that is added to its sum. cut: False if all channels stay.
    """
    weights = node.input(1)
    data = _emptied(node, inputs[1], outputs[1])
    if not cut and data == bytes(weights.data):
        return False
    axis = 0
    if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
        axis, shape = 3, (*weights.shape[:3], len(outputs[0]))
        data = picked(data, weights.shape[3], outputs[0])
    else:
        size = len(data) // _rows(node)
        rows = [data[o * size : (o + 1) * size] for o in outputs[0]]
        data = b"".join(picked(row, node.input(0).shape[-1], inputs[0]) for row in rows)
        shape = (len(rows), len(data) // len(rows))
        if node.builtin_code == BuiltinOperator.CONV_2D:
            shape = (len(rows), *weights.shape[1:3], len(inputs[0]))
    smaller = subgraph.new_tensor(weights.name, dtypes.INT8, shape, data)
    _cut_quantization(weights, smaller, outputs[0], axis)
    node.inputs[1] = smaller
    _cut_bias(subgraph, node, outputs[0], more)
    return True


# The weights of a node (bytes), with zeros for some input and output channels.
def _emptied(node, inputs, outputs):
    weights = node.input(1)
    data = bytearray(weights.data)
    if node.builtin_code == BuiltinOperator.DEPTHWISE_CONV_2D:
        for o in outputs:
            data[o :: weights.shape[3]] = bytes(len(data) // weights.shape[3])
        return bytes(data)
    zero, channels = b"\0", node.input(0).shape[-1]
    if node.builtin_code == BuiltinOperator.FULLY_CONNECTED and weights.scales_length() == 1:
        zero = struct.pack("b", weights.zero_point())
    for i in inputs:
        data[i::channels] = zero * (len(data) // channels)
    size = len(data) // _rows(node)
    for o in outputs:
        data[o * size : (o + 1) * size] = zero * size
    return bytes(data)


# The number of output channels of the weights of a convolution or FULLY_CONNECTED.
def _rows(node):
    return node.input(1).shape[0 if node.builtin_code == BuiltinOperator.CONV_2D else -2]


# Cut per-channel scales like the channels; copy a per-tensor scale.
def _cut_quantization(source, target, outputs, axis):
    if source.scales_length() <= 1:
        copy_quantization(source, target)
        return
    scales = [source.scale_bits(i) for i in outputs]
    set_channels(target, scales, [source.zero_point(i) for i in outputs], axis)


# Cut the bias, and add `more` to it; a node without a bias gets one if `more` is not all zero.
def _cut_bias(subgraph, node, outputs, more):
    bias = node.optional_input(2)
    if bias is None or not bias.elements():
        if not any(more):
            return
        values, name = [0] * len(more), node.input(1).name + "/bias"
    else:
        values, name = values_of(bias), bias.name
    data = struct.pack(f"<{len(outputs)}i", *(values[o] + more[o] for o in outputs))
    cut = subgraph.new_tensor(name, dtypes.INT32, (len(outputs),), data)
    if bias is not None and bias.is_quantized:
        _cut_quantization(bias, cut, outputs, 0)
    elif bias is None:
        _quantize_bias(node, cut)
    while len(node.inputs) < 3:
        node.inputs.append(None)
    node.inputs[2] = cut


# Prepare of some operators requires that the scale of the bias is input scale * weights scale.
def _quantize_bias(node, bias):
    a, b = (bits_to_float(node.input(i).scale_bits()) for i in (0, 1))
    (bits,) = struct.unpack("<I", array("f", [a * b]).tobytes())
    set_channels(bias, [bits], [0], 0)
