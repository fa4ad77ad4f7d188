# tflm: helpers of binary operators with one type in Prepare
# MIT license; Copyright (c) 2026 the tflm authors

from ..dtypes import const
from .common import NONE, RELU, RELU6, RELU_N1_TO_1, check, check_dtype, support

# Words that kernels/fixed_point.py reads to store int16.
CLAMP = ("output_zero_point", "activation_min", "activation_max")

# Of AddOptions, SubOptions, MulOptions, DivOptions.
_FUSED_ACTIVATION_FUNCTION = const(0)
_INT32_MIN = -(1 << 31)
_INT32_MAX = (1 << 31) - 1


# Prepare an operator with a fused activation, the first field of the options table of union type
# `options`. `kernels`: {type of its tensors: function(context, node, activation)}.
def prepare_binary(context, node, options, kernels):
    source = node.input(0)
    check(len(node.inputs) == 2, node, "it must have 2 inputs")
    check_dtype(node, source, *sorted(kernels))
    check_dtype(node, node.input(1), source.dtype)
    check_dtype(node, node.output(0), source.dtype)
    activation = node.options(options).get(_FUSED_ACTIVATION_FUNCTION, "b")
    kernels[source.dtype](context, node, activation)


# Refuse quantized tensors where TFLM supports only plain integers.
def check_unquantized(node, tensors):
    for tensor in tensors:
        support(not tensor.is_quantized, node, "%s: a scale for this type" % tensor)


# Fused activation as a range of plain integers (kernel_util.h: CalculateActivationRange).
def int32_range(node, activation):
    support(activation in (NONE, RELU, RELU_N1_TO_1, RELU6), node, "activation %d" % activation)
    low, high = _INT32_MIN, _INT32_MAX
    if activation == RELU:
        low = 0
    elif activation == RELU6:
        low, high = 0, 6
    elif activation == RELU_N1_TO_1:
        low, high = -1, 1
    return low, high
