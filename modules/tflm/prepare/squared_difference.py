# tflm: SQUARED_DIFFERENCE: Prepare (TFLM squared_difference.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK, check_quantized, limits, scale_of, support, support_scale
from .elementwise import CLAMP, prepare_binary

INTEGERS = (
    BROADCAST
    + ("size", "left_shift", "offset1", "offset2", "multiplier", "shift")
    + CLAMP
    + ("output_multiplier", "output_shift")
)

_NO_OPTIONS = const(0)
_INT8_SHIFT = 7
_INT16_SHIFT = 0
_INTEGERS_WORK = 24  # of an element, in multiply-accumulates
_INT32_WORK = 4
_MAX_SHIFT = 31

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _NO_OPTIONS, _KERNELS)


def _int8(context, node, activation):
    _emit_integers(context, node, _INT8_SHIFT, 0x80)


def _int16(context, node, activation):
    for tensor in (node.input(0), node.input(1), node.output(0)):
        support(tensor.zero_point() == 0, node, "%s: a zero point other than 0" % tensor)
    _emit_integers(context, node, _INT16_SHIFT, 0x8000)


# The square is the same for both orders of the inputs. In the record the input with the larger
# scale is first; its multiplier is one half. `flip` turns signed values into unsigned ones.
def _emit_integers(context, node, left_shift, flip):
    inputs, target = [node.input(0), node.input(1)], node.output(0)
    for tensor in inputs + [target]:
        check_quantized(node, tensor)
    if scale.less(scale_of(inputs[0]), scale_of(inputs[1])):
        inputs.reverse()
    m, e = scale_of(inputs[0])
    twice = m, e + 1
    multiplier, shift = scale.quantize_multiplier(scale.divide(scale_of(inputs[1]), twice))
    m, e = scale_of(target)
    ratio = scale.divide(scale.multiply(twice, twice), (m, e + 2 * left_shift))
    output_multiplier, output_shift = scale.quantize_multiplier(ratio)
    support_scale(output_shift <= _MAX_SHIFT, node, target)
    low, high = limits(target.dtype)
    emit_broadcast(
        context,
        node,
        "squared_difference.eval_integers",
        INTEGERS,
        inputs,
        _INTEGERS_WORK,
        4,
        size=dtypes.itemsize(target.dtype),
        left_shift=left_shift,
        offset1=inputs[0].zero_point() + flip,
        offset2=inputs[1].zero_point() + flip,
        multiplier=multiplier,
        shift=shift + 32,
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        output_multiplier=output_multiplier,
        output_shift=output_shift + 32,
    )


# TFLM ignores quantization here.
def _int32(context, node, activation):
    inputs = node.input(0), node.input(1)
    kernel = "squared_difference_int32.eval_int32"
    emit_broadcast(context, node, kernel, BROADCAST, inputs, _INT32_WORK)


def _float32(context, node, activation):
    inputs = node.input(0), node.input(1)
    kernel = "squared_difference_float.eval_float32"
    emit_broadcast(context, node, kernel, BROADCAST, inputs, 2 * FLOAT_WORK)


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _int8,
    dtypes.INT16: _int16,
    dtypes.INT32: _int32,
}
