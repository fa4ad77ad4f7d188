# tflm_tools: channel groups: what expands and the depthwise operator behind it, part by part
# MIT license; Copyright (c) 2026 the tflm authors

from tflm import dtypes

from ...model.graph import copy_quantization, set_channels
from ...model.schema import BuiltinOperator
from .copied import copied

# Channels of a depthwise convolution have nothing to do with each other. So what expands in front
# of it need not be there as a whole: some channels go through both before the next ones begin.
_MOST = 8  # groups: each costs calls of both kernels for each band
ALIGNED = 4  # bytes that kernels take at a time


def groups_between(expanding, depthwise):
    """In how many groups of equal size the channels between two operators may go, ascending."""
    if expanding.builtin_code != BuiltinOperator.CONV_2D:
        return [1]
    if depthwise.builtin_code != BuiltinOperator.DEPTHWISE_CONV_2D:
        return [1]
    channels = expanding.outputs[0].shape[-1]
    if depthwise.outputs[0].shape[-1] != channels:
        return [1]
    for node, axis in ((expanding, 0), (depthwise, 3)):
        if not may_be_cut(node, axis, channels):
            return [1]
    if expanding.inputs[1].shape[3] != expanding.inputs[0].shape[3]:
        return [1]
    return [1, *(k for k in range(2, _MOST + 1) if channels % (k * ALIGNED) == 0)]


def may_be_cut(node, axis, channels):
    """True for int8 with constants, one scale and bias for each channel or none.

    axis: that of the channels of its output, of its weights.
    """
    weights, bias = node.inputs[1], node.optional_input(2)
    if {node.inputs[0].dtype, weights.dtype, node.outputs[0].dtype} != {dtypes.INT8}:
        return False
    if not weights.is_constant() or weights.shape[axis] != channels:
        return False
    if weights.scales_length() not in (1, channels):
        return False
    return bias is None or (bias.is_constant() and bias.elements() == channels)


class Group:
    """What two such operators are for some channels, `count` of them from `first` on.

    make(name, dtype, shape, like) gives new tensors.
    """

    def __init__(self, first, count, make):
        self.first, self.count = first, count
        self._make = make

    def of(self, expanding, depthwise):
        """The two operators for these channels."""
        one = self.operator(expanding, expanding.inputs[0], 0)
        return one, self.operator(depthwise, one.outputs[0], 3)

    def operator(self, node, source, axis):
        """An operator that makes these channels, those of its weights along an axis."""
        bias = node.optional_input(2)
        inputs = [source, self._cut(node.inputs[1], axis), bias and self._cut(bias, 0)]
        return copied(node, inputs, [self._cut(node.outputs[0], 3)])

    # A tensor with these channels of another one, along an axis.
    def _cut(self, tensor, axis):
        shape, size = list(tensor.shape), dtypes.itemsize(tensor.dtype)
        for dimension in shape[axis + 1 :]:
            size *= dimension
        step, first, count = shape[axis] * size, self.first * size, self.count * size
        shape[axis] = self.count
        cut = self._make(tensor.name, tensor.dtype, tuple(shape), tensor)
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


def groups_of(channels, count, make):
    """The Groups of so many channels; make: as for each."""
    size = channels // count
    return [Group(first, size, make) for first in range(0, channels, size)]
