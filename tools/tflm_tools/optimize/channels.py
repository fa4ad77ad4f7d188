# tflm_tools: channels: which channels of an operator's tensors belong together, and cutting them
# MIT license; Copyright (c) 2026 the tflm authors

import numpy as np
from tflm import dtypes

from ..model.graph import copy_quantization, set_channels
from . import ranges
from .probe import emissions, lookup_table
from .ranges import MOST_CHANNELS, int8_record, values_of, windows_reach_out

_ADD, _MEAN = 0, 40


class Role:
    """How an operator deals with channels.

    links: [(tensor, its channels, tensor, its channels)]: arrays of equal length; what is linked
    can only be removed together. `makes` is True where output channels come from rows of weights.
    reads: None, or what tells how a convolution or FULLY_CONNECTED depends on the input channels.
    """

    def __init__(self, links=(), makes=False, reads=None):
        self.links = links
        self.makes = makes
        self.reads = reads


class Reads:
    """Weights by input channel: used (mask), and what a constant channel adds to the sums.

    sums: array (input channels, output channels) of the sums of weights.
    reaches_out: windows lie beside the input in part, where a constant adds less.
    """

    def __init__(self, weights, sums, reaches_out):
        self.used = np.any(weights, axis=tuple(range(1, weights.ndim)))
        self.sums = sums
        self.reaches_out = reaches_out


# Each channel with the same one of another tensor.
def _same(source, target):
    numbers = np.arange(source.shape[-1])
    return (source, numbers, target, numbers)


def role_of(node):
    """The Role of a node; None when all channels of its tensors have to stay."""
    if len(node.outputs) != 1 or any(t is None for t in node.outputs + node.inputs[:1]):
        return None
    tensors = [t for t in node.outputs + node.inputs if t is not None and not t.is_constant()]
    if any(not t.shape or not t.elements() or t.shape[-1] > MOST_CHANNELS for t in tensors):
        return None
    if node.output(0).dtype != dtypes.INT8:
        return None
    return _ROLES.get(node.builtin_code, _unary_role)(node)


def _conv_role(node):
    record = int8_record(node, "conv")
    if record is None or record.fields["filter_channels"] != node.input(0).shape[3]:
        return None
    weights = values_of(node.input(1))
    by_input = np.moveaxis(weights, 3, 0)
    reads = Reads(by_input, weights.sum((1, 2)).T, windows_reach_out(record.fields))
    return Role(makes=True, reads=reads)


def _depthwise_role(node):
    source, target = node.input(0), node.output(0)
    if int8_record(node, "depthwise_conv") is None:
        return None
    outputs = np.arange(target.shape[3])
    inputs = outputs // (target.shape[3] // source.shape[3])
    return Role([(source, inputs, target, outputs)])


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
    weights = values_of(node.input(1)).reshape(-1, record.fields["depth"])
    weights = weights - (record.fields["weights_offset"] - 128)
    by_input = weights.reshape(len(weights), -1, source.shape[-1]).transpose(2, 0, 1)
    return Role(makes=True, reads=Reads(by_input, by_input.sum(2), False))


def _pool_role(node):
    return Role([_same(node.input(0), node.output(0))])


# Elements stay in their order, so channel k of the output is channel k % C of the input.
def _reshape_role(node):
    source, target = node.input(0), node.output(0)
    if target.shape[-1] % source.shape[-1]:
        return None
    outputs = np.arange(target.shape[-1])
    return Role([(source, outputs % source.shape[-1], target, outputs)])


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
    if node.options(10).get(0, "i") % rank != rank - 1:
        return None
    links, first = [], 0
    for tensor in node.inputs:
        if tensor is None or tensor.is_constant() or not tensor.elements():
            return None
        numbers = np.arange(tensor.shape[-1])
        links.append((tensor, numbers, target, first + numbers))
        first += tensor.shape[-1]
    return Role(links)


def _mean_role(node):
    source, target, axes = node.input(0), node.output(0), node.input(1)
    if not axes.is_constant() or axes.dtype != dtypes.INT32:
        return None
    if source.shape[-1] != target.shape[-1]:
        return None
    rank = len(source.shape)
    if any(axis % rank == rank - 1 for axis in values_of(axes).reshape(-1)):
        return None
    return Role([_same(source, target)])


def _unary_role(node):
    source, target = node.input(0), node.output(0)
    if len(node.inputs) != 1 or source.shape != target.shape or source.dtype != dtypes.INT8:
        return None
    return Role([_same(source, target)]) if lookup_table(node) is not None else None


_ROLES = {
    _ADD: _add_role,
    ranges.AVERAGE_POOL: _pool_role,
    ranges.CONCATENATION: _concatenation_role,
    ranges.CONV: _conv_role,
    ranges.DEPTHWISE: _depthwise_role,
    ranges.FULLY_CONNECTED: _fully_connected_role,
    ranges.MAX_POOL: _pool_role,
    ranges.RESHAPE: _reshape_role,
    ranges.PAD: _pad_role,
    ranges.PADV2: _pad_role,
    _MEAN: _mean_role,
}


def cut_weights(subgraph, node, inputs, outputs, more, cut):
    """Cut the weights, bias and scales of a node; True when that changed them.

    inputs, outputs: (the channels that stay, those of them that get weights of zero), arrays.
    more: what is added to the sum of each output. cut: False when all channels stay.
    """
    weights = node.input(1)
    values = _emptied(node, values_of(weights), inputs[1], outputs[1])
    if not cut and np.array_equal(values, values_of(weights)):
        return False
    inputs, outputs = inputs[0], outputs[0]
    if node.builtin_code == ranges.CONV:
        values, axis = values[outputs][..., inputs], 0
    elif node.builtin_code == ranges.DEPTHWISE:
        values, axis = values[..., outputs], 3
    else:
        depth, channels = weights.shape[-1], node.input(0).shape[-1]
        values = values.reshape(-1, depth // channels, channels)[outputs][..., inputs]
        values, axis = values.reshape(len(outputs), -1), 0
    data = values.astype(np.int8).tobytes()
    smaller = subgraph.new_tensor(weights.name, dtypes.INT8, values.shape, data)
    _cut_quantization(weights, smaller, outputs, axis)
    node.inputs[1] = smaller
    _cut_bias(subgraph, node, outputs, more)
    return True


# The weights of a node, without those of some input and output channels.
def _emptied(node, values, inputs, outputs):
    values = values.copy()
    if node.builtin_code == ranges.CONV:
        values[..., inputs] = 0
        values[outputs] = 0
    elif node.builtin_code == ranges.DEPTHWISE:
        values[..., outputs] = 0
    else:
        zero = node.input(1).zero_point() if node.input(1).scales_length() == 1 else 0
        channels = node.input(0).shape[-1]
        rows = values.reshape(-1, values.shape[-1] // channels, channels)
        rows[..., inputs] = zero
        rows[outputs] = zero
    return values


# Scales by channel are cut as well; one for all stays.
def _cut_quantization(source, target, outputs, axis):
    if source.scales_length() <= 1:
        copy_quantization(source, target)
        return
    scales = [source.scale_bits(int(i)) for i in outputs]
    set_channels(target, scales, [source.zero_point(int(i)) for i in outputs], axis)


# A bias for the outputs that are kept; one comes in where something is added.
def _cut_bias(subgraph, node, outputs, more):
    bias = node.optional_input(2)
    if bias is None or not bias.elements():
        if not np.any(more):
            return
        values, name = np.zeros(len(outputs), np.int64), node.input(1).name + "/bias"
    else:
        values, name = values_of(bias).reshape(-1)[outputs], bias.name
    data = (values + more[outputs]).astype(np.int32).tobytes()
    cut = subgraph.new_tensor(name, dtypes.INT32, (len(outputs),), data)
    if bias is not None and bias.is_quantized:
        _cut_quantization(bias, cut, outputs, 0)
    elif bias is None:
        _quantize_bias(node, cut)
    while len(node.inputs) < 3:
        node.inputs.append(None)
    node.inputs[2] = cut


# Some operators check that a bias has the scale of their sums.
def _quantize_bias(node, bias):
    bits = np.array([node.input(0).scale_bits(), node.input(1).scale_bits()], np.uint32)
    product = np.prod(bits.view(np.float32).astype(np.float64)).astype(np.float32)
    set_channels(bias, [int(product.view(np.uint32))], [0], 0)
