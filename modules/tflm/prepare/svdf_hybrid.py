# tflm: SVDF of float32 with weights of int8, which TFLM lacks: Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from . import scale
from .common import NONE, check, check_dtype, check_quantized, scale_of
from .convolution import check_bias
from .dequantize_channels import OperandTensor
from .hybrid import emit_fully_connected


# Emit the features of all filters, a FULLY_CONNECTED with integer sums as in LiteRT, and set the
# fields of the float32 record that reads them. The weights over time become float32 once. The
# input and the output are float32, and all shapes agree.
def emit_features(context, node, fields, asymmetric):
    times, state = node.input(2), node.input(4)
    check_quantized(node, node.input(1), is_zero=True)
    check_dtype(node, state, dtypes.FLOAT32)
    check_bias(node, node.optional_input(3), fields["units_in_batch"], dtypes.FLOAT32)
    check_dtype(node, times, dtypes.INT8, dtypes.FLOAT32)
    if times.dtype == dtypes.INT8:
        check_quantized(node, times, is_zero=True)
        constant = times.is_constant() and times.zero_point() == 0
        check(constant, node, "%s is no constant or has a zero point" % times)
        fields["weights_time"] = _dequantized(context, times)
    size, filters, batches = fields["input_size"], node.input(1).shape[0], node.input(0).shape[0]
    if size and batches:
        features = context.request_scratch_buffer(4 * batches * filters)
        features = OperandTensor(features, (batches, filters))
        products = node.with_inputs([node.input(0), node.input(1), None])
        products.outputs = [features]
        emit_fully_connected(context, products, NONE, batches, filters, size, asymmetric)
        fields.update({"input": features, "weights_feature": None, "input_size": 1})


# Return a constant with the values of a tensor of int8 as float32.
def _dequantized(context, tensor):
    factor = scale_of(tensor)
    values = [
        scale.to_bits((value * factor[0], factor[1]))
        for value in struct.unpack("<%db" % tensor.elements(), tensor.data)
    ]
    return context.constant(struct.pack("<%dI" % len(values), *values))
