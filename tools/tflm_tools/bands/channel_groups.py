# tflm_tools: cuts an expanding convolution and the depthwise one after it into groups of channels
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes
from tflm.tflite.graph import Node

from ..model.graph import copy_quantization, set_channels
from ..model.schema import BuiltinOperator

# The channels of a depthwise convolution are independent. So the output of the convolution that
# expands before it need not exist as a whole: some channels pass both operators before the next.
MAX_GROUPS = 8  # each group costs calls of both kernels in each band
CHANNEL_ALIGNMENT = 4  # bytes that kernels access at a time


def group_counts(expanding, depthwise):
    """Return, ascending, into how many equal groups the channels of two operators can be cut.

    [1] for operators that cannot be cut.
    """
    if expanding.builtin_code != BuiltinOperator.CONV_2D:
        return [1]
    if depthwise.builtin_code != BuiltinOperator.DEPTHWISE_CONV_2D:
        return [1]
    channels = expanding.outputs[0].shape[-1]
    if depthwise.outputs[0].shape[-1] != channels:
        return [1]
    for node, axis in ((expanding, 0), (depthwise, 3)):
        if not can_be_cut(node, axis, channels):
            return [1]
    if expanding.inputs[1].shape[3] != expanding.inputs[0].shape[3]:
        return [1]
    counts = range(2, MAX_GROUPS + 1)
    return [1, *(count for count in counts if channels % (count * CHANNEL_ALIGNMENT) == 0)]


def can_be_cut(node, axis, channels):
    """Return True for an int8 convolution whose constants can be cut by output channel.

    axis: the dimension of output channels in its weights.
    """
    weights, bias = node.inputs[1], node.optional_input(2)
    if {node.inputs[0].dtype, weights.dtype, node.outputs[0].dtype} != {dtypes.INT8}:
        return False
    if not weights.is_constant() or weights.shape[axis] != channels:
        return False
    if weights.scales_length() not in (1, channels):
        return False
    return bias is None or (bias.is_constant() and bias.elements() == channels)


def with_tensors(node, inputs, outputs):
    """Return a node that does the same with other tensors."""
    code, version = node.builtin_code, node.version
    other = Node(node.index, code, version, node.custom_name, inputs, outputs)
    other.set_options(node._options_type, node._options)
    other.clamp, other.padding, other.part_of = node.clamp, node.padding, node.part_of
    other.origins = getattr(node, "origins", (node.index,))
    return other


class ChannelGroup:
    """Channels first..first+count-1 of operators that can_be_cut().

    make_tensor(name, dtype, shape, like): returns a new tensor.
    """

    def __init__(self, first, count, make_tensor):
        self.first, self.count = first, count
        self._make_tensor = make_tensor

    def pair(self, expanding, depthwise):
        """Return the two operators for these channels."""
        first = self.operator(expanding, expanding.inputs[0], 0)
        return first, self.operator(depthwise, first.outputs[0], 3)

    def operator(self, node, source, axis):
        """Return an operator with input `source` that computes these channels.

        axis: the dimension of output channels in its weights.
        """
        bias = node.optional_input(2)
        inputs = [source, self._cut(node.inputs[1], axis), bias and self._cut(bias, 0)]
        return with_tensors(node, inputs, [self._cut(node.outputs[0], 3)])

    # A tensor with these channels of another one, which has them along an axis.
    def _cut(self, tensor, axis):
        shape, size = list(tensor.shape), dtypes.itemsize(tensor.dtype)
        for dimension in shape[axis + 1 :]:
            size *= dimension
        step, first, count = shape[axis] * size, self.first * size, self.count * size
        shape[axis] = self.count
        cut = self._make_tensor(tensor.name, tensor.dtype, tuple(shape), tensor)
        if tensor.is_constant():
            data = bytes(tensor.data)
            rows = range(first, len(data), step)
            cut.data = b"".join(data[row : row + count] for row in rows)
        if tensor.scales_length() > 1:
            channels = range(self.first, self.first + self.count)
            scales = [tensor.scale_bits(i) for i in channels]
            points = [tensor.zero_point(i) for i in channels]
            set_channels(cut, scales, points, tensor.quantized_dimension)
        elif tensor.is_quantized:
            copy_quantization(tensor, cut)
        return cut


def channel_groups(channels, count, make_tensor):
    """Return `count` ChannelGroups of equal size; make_tensor: as for each of them."""
    size = channels // count
    return [ChannelGroup(first, size, make_tensor) for first in range(0, channels, size)]
