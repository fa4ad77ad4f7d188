# tflm: quantization with a scale for each channel or row, to float32, which TFLM lacks: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .arithmetic_float import MUL, emit_product
from .common import check, support

ONE = 0x3F800000  # 1.0 in float32, the scale of emit_dequantize() before emit_scaled()


# An operand of context.emit() as a tensor.
class OperandTensor:
    def __init__(self, operand, shape, dtype=dtypes.FLOAT32):
        self.word = operand.word
        self.shape = shape
        self.dtype = dtype

    def elements(self):
        count = 1
        for dimension in self.shape:
            count *= dimension
        return count


# Return the scales of a tensor as bytes of float32.
def scale_bytes(tensor):
    count = tensor.scales_length()
    return struct.pack("<%dI" % count, *[tensor.scale_bits(i) for i in range(count)])


# Multiply output 0 by the scales of a tensor. It holds the integers of the tensor as floats, which
# have no error, so that each product is rounded once, as in LiteRT.
def emit_per_channel(context, node, tensor):
    dimension, count = tensor.quantized_dimension, tensor.scales_length()
    check(0 <= dimension < len(tensor.shape), node, "%s has no dimension for scales" % tensor)
    check(tensor.shape[dimension] == count, node, "%s has %d scales" % (tensor, count))
    for i in range(count):
        same = tensor.zero_point(i) == tensor.zero_point()
        support(same, node, "%s: a zero point for each channel" % tensor)
    shape = [1] * len(tensor.shape)
    shape[dimension] = count
    scales = OperandTensor(context.constant(scale_bytes(tensor)), tuple(shape))
    emit_scaled(context, node, scales)


# Multiply output 0 by `scales`.
def emit_scaled(context, node, scales):
    emit_product(context, node, (node.output(0), scales), MUL)
