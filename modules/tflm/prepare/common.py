# tflm: checks and computations that many operators share in Prepare
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..errors import ModelError, UnsupportedError
from . import scale

# Fused activations, codes of the schema.
NONE, RELU, RELU_N1_TO_1, RELU6 = 0, 1, 2, 3

_LIMITS = {
    dtypes.INT8: (-128, 127),
    dtypes.UINT8: (0, 255),
    dtypes.INT16: (-32768, 32767),
    dtypes.INT32: (-(1 << 31), (1 << 31) - 1),
}

# `work` of one multiply-accumulate of float32, which consists of integer instructions (some 830
# cycles on a Cortex-M0+).
FLOAT_WORK = 32

# `work` of a multiply-accumulate of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED of float32,
# which is machine code on most boards: 3 to 60 cycles.
FLOAT_MAC_WORK = 4

# Words at the end of a layout that kernels/requantize.py reads, with requantize_table() as the
# table.
LIMITS = ("output_zero_point", "activation_min", "activation_max")
REQUANTIZE = LIMITS + ("per_channel", "channels")


# Refuse a model that contradicts itself.
def check(condition, node, text):
    if not condition:
        raise ModelError("%s: %s; the model is damaged or was converted wrongly" % (node, text))


# Refuse a feature that TFLM or tflm lacks.
def support(condition, node, text):
    if not condition:
        raise UnsupportedError("%s: %s is not supported; convert without it" % (node, text))


# Refuse a multiplier that is too large, because of the scale of `tensor`.
def support_scale(condition, node, tensor):
    if not condition:
        raise UnsupportedError(
            "%s: %s has a scale far below the others; quantize again with data for which this "
            "tensor varies" % (node, tensor)
        )


# Refuse a tensor whose type is not one of `allowed`.
def check_dtype(node, tensor, *allowed):
    if tensor.dtype not in allowed:
        is_half = tensor.dtype == dtypes.FLOAT16
        remedy = "tflm convert makes it float32" if is_half else "convert with other types"
        names = " or ".join([dtypes.name(code) for code in allowed])
        raise UnsupportedError("%s: %s must be %s; %s" % (node, tensor, names, remedy))


# Refuse a quantized tensor without the scale or zero point that its type requires. `is_zero`: a
# scale of 0 is allowed, because converters give it to tensors of zeros. An operator that reads a
# scale for each channel does not call this function: others would read only the first one.
def check_quantized(node, tensor, is_zero=False):
    check(tensor.is_quantized, node, "%s has no scale" % tensor)
    if tensor.scales_length() != 1:
        raise UnsupportedError(
            "%s: a scale for each channel of %s is not supported; quantize it per tensor"
            % (node, tensor)
        )
    m, _ = scale.from_bits(tensor.scale_bits())
    check(m > 0 or is_zero and not m, node, "%s has a scale that is not positive" % tensor)
    low, high = _LIMITS[tensor.dtype]
    inside = low <= tensor.zero_point() <= high
    check(inside, node, "%s has a zero point outside its type" % tensor)


# Refuse scales for the elements of another dimension than `axis`, which is negative.
def check_scale_axis(node, tensor, axis):
    rank, dimension = len(tensor.shape), tensor.quantized_dimension
    fits = tensor.scales_length() < 2 or dimension == rank + axis
    support(fits, node, "a scale for each element of dimension %d of %s" % (dimension, tensor))


# The scale of a tensor (or of one channel) as a number of scale.py.
def scale_of(tensor, channel=0):
    return scale.from_bits(tensor.scale_bits(channel))


# Lowest and highest value of a type.
def limits(dtype):
    return _LIMITS[dtype]


# Fused activation as a range of quantized output values (kernel_util.cc):
# zero point + round(limit / scale), the division in float32.
def activation_range(node, output, activation):
    low, high = _LIMITS[output.dtype]
    zero_point = output.zero_point()

    def quantized(limit):
        ratio = scale.divide(scale.from_int(limit), scale_of(output), scale.SINGLE)
        return zero_point + scale.to_int(ratio)

    support(activation in (NONE, RELU, RELU_N1_TO_1, RELU6), node, "activation %d" % activation)
    if activation == RELU:
        low = max(low, quantized(0))
    elif activation == RELU6:
        low, high = max(low, quantized(0)), min(high, quantized(6))
    elif activation == RELU_N1_TO_1:
        low, high = max(low, quantized(-1)), min(high, quantized(1))
    if node.clamp is not None:  # the host has folded an activation into the node
        least, most = node.clamp
        low, high = min(max(low, least), most), min(max(high, least), most)
    return low, high


# Fused activation as the bits of two float32 (kernel_util.h: CalculateActivationRange).
def float_activation_range(node, activation):
    support(activation in (NONE, RELU, RELU_N1_TO_1, RELU6), node, "activation %d" % activation)
    if activation == RELU:
        return 0, 0x7F7FFFFF
    if activation == RELU6:
        return 0, 0x40C00000
    if activation == RELU_N1_TO_1:
        return 0xBF800000, 0x3F800000
    return 0xFF7FFFFF, 0x7F7FFFFF


# Return the table after a record whose last words are REQUANTIZE: multipliers as words, then a
# byte with the shift + 32 of each. `multipliers`: a list of (multiplier, shift).
def requantize_table(multipliers):
    for multiplier, shift in multipliers:
        if not 0 <= multiplier < 1 << 31 or not -32 < shift < 31:
            raise ModelError("a multiplier of the model is out of range; quantize it again")
    words = b"".join([struct.pack("<I", m) for m, _ in multipliers])
    shifts = bytes([shift + 32 for _, shift in multipliers])
    return words + shifts + bytes((0 - len(shifts)) & 3)


# Return the values of a small constant tensor of int32 or int64.
def constant_ints(node, tensor, what):
    if not tensor.is_constant():
        error = UnsupportedError(
            "%s: %s must be constant, %s is not; make it one" % (node, what, tensor)
        )
        error.tensor = tensor  # shapes.py writes another message about it
        raise error
    check_dtype(node, tensor, dtypes.INT32, dtypes.INT64, dtypes.INT16, dtypes.INT8)
    size = dtypes.itemsize(tensor.dtype)
    kind = "<" + {1: "b", 2: "h", 4: "i", 8: "q"}[size]
    data = bytes(tensor.data)
    return [struct.unpack_from(kind, data, i)[0] for i in range(0, len(data), size)]


# Return an axis in 0..rank-1 for one that may be negative.
def positive_axis(node, axis, rank):
    check(-rank <= axis < rank, node, "axis %d does not exist in %d dimensions" % (axis, rank))
    return axis + rank if axis < 0 else axis


# output_shapes() of elementwise operators: the shape of input 0.
def same_shape(node):
    return [node.input(0).shape]


# Refuse a tensor that does not have the shape that the operator computes.
def check_shape(node, tensor, shape, text="%s should have shape %s"):
    check(tensor.shape == tuple(shape), node, text % (tensor, list(shape)))


# Refuse outputs that do not have the shapes of output_shapes().
def check_outputs(node, shapes, text="%s should have shape %s"):
    for i, shape in enumerate(shapes):
        check_shape(node, node.output(i), shape, text)


# Return the product of dimensions.
def product(dimensions):
    result = 1
    for dimension in dimensions:
        result *= dimension
    return result
