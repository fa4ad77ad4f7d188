# tflm: DEPTHWISE_CONV_2D with a depth multiplier as operators with machine code: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from .strided import element_bytes, emit_copy
from .sub_nodes import ScratchTensor, sub_node, with_data

_MAX_SUB_NODES = 16


# Return the node as a CONV_2D if its input has one channel, of which each output channel is a
# filter, or with `grouped` if each group of filters has one channel. Return None for others.
def as_conv(node, grouped):
    source, weights = node.input(0), node.input(1)
    if not weights.is_constant() or source.shape[3] != 1 and not grouped or source.step:
        return None
    _, height, width, channels = weights.shape
    own = with_data(weights, (channels, height, width, 1), _turned(node, weights, channels))
    if weights.is_quantized:
        scales, zero_points, _ = weights.quantization()
        own.set_quantization(scales, zero_points, 0)
    return sub_node(node, [source, own, node.optional_input(2)], node.output(0))


# Return the bytes of the weights with the last dimension first.
def _turned(node, weights, channels):
    size, data = element_bytes(node, weights), memoryview(weights.data)
    step = channels * size
    elements = []
    for channel in range(channels):
        for at in range(channel * size, len(data), step):
            elements.append(bytes(data[at : at + size]))
    return b"".join(elements)


# Emit a DEPTHWISE_CONV_2D of float32 without a multiplier for each output channel of an input
# channel, and a copy that spreads its outputs. Return False if Prepare must emit it as it is.
# fields: WINDOWS. emit(node, fields): emits a DEPTHWISE_CONV_2D.
def emit_split(context, node, fields, emit):
    source, weights, target = node.input(0), node.input(1), node.output(0)
    bias = node.optional_input(2)
    depth, channels = fields["input_channels"], fields["output_channels"]
    multiplier = channels // depth
    constant = weights.is_constant() and (bias is None or bias.is_constant())
    if not constant or not target.elements():
        return False
    if not 1 < multiplier <= _MAX_SUB_NODES:
        return False
    shape, pixels = tuple(target.shape[:3]) + (depth,), target.elements() // channels
    buffer = context.request_scratch_buffer(4 * pixels * depth)
    for number in range(multiplier):
        own = dict(fields)
        own["output_channels"] = depth
        result = ScratchTensor(target, shape, buffer)
        inputs = [source, _every(weights, number, multiplier), None]
        if bias is not None:
            inputs[2] = _every(bias, number, multiplier)
        emit(sub_node(node, inputs, result), own)
        loops = (pixels, depth, channels), (depth, 1, multiplier)
        emit_copy(context, node, result, target, loops, 0, number)
    return True


# Return every `step`-th channel of weights or of a bias of float32.
def _every(tensor, first, step):
    data = memoryview(tensor.data)
    elements = [bytes(data[at : at + 4]) for at in range(4 * first, len(data), 4 * step)]
    shape = tuple(tensor.shape[:-1]) + (tensor.shape[-1] // step,)
    return with_data(tensor, shape, b"".join(elements))
