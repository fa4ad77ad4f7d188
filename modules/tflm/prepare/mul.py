# tflm: MUL: Prepare (TFLM mul_common.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import (
    REQUANTIZE,
    activation_range,
    check_quantized,
    requantize_table,
    scale_of,
    support,
    support_scale,
)
from .elementwise import CLAMP, int32_range, prepare_binary

INT8 = BROADCAST + ("offset1", "offset2") + REQUANTIZE
INT16 = BROADCAST + CLAMP + ("multiplier", "shift")
INT32 = BROADCAST + ("activation_min", "activation_max")

_OPTIONS = const(21)  # MulOptions
_INT8_WORK = 10  # of an element, in multiply-accumulates
_INT16_WORK = 12
_INT32_WORK = 4

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _OPTIONS, _KERNELS)


def _int8(context, node, activation):
    multiplier = _multiplier(node)
    low, high = activation_range(node, node.output(0), activation)
    first, second = node.input(0), node.input(1)
    emit_broadcast(
        context,
        node,
        "mul.eval_int8",
        INT8,
        (first, second),
        _INT8_WORK,
        table=requantize_table([multiplier]),
        offset1=first.zero_point() + 0x80,
        offset2=second.zero_point() + 0x80,
        output_zero_point=node.output(0).zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=0,
        channels=1,
    )


def _int16(context, node, activation):
    multiplier, shift = _multiplier(node)
    low, high = activation_range(node, node.output(0), activation)
    for tensor in (node.input(0), node.input(1), node.output(0)):
        support(tensor.zero_point() == 0, node, "%s: a zero point other than 0" % tensor)
    emit_broadcast(
        context,
        node,
        "mul_int16.eval_int16",
        INT16,
        (node.input(0), node.input(1)),
        _INT16_WORK,
        output_zero_point=0,
        activation_min=low,
        activation_max=high,
        multiplier=multiplier,
        shift=shift + 32,
    )


# TFLM ignores quantization here.
def _int32(context, node, activation):
    low, high = int32_range(node, activation)
    emit_broadcast(
        context,
        node,
        "mul_int32.eval_int32",
        INT32,
        (node.input(0), node.input(1)),
        _INT32_WORK,
        activation_min=low,
        activation_max=high,
    )


def _float32(context, node, activation):
    from .arithmetic_float import MUL, emit_arithmetic

    emit_arithmetic(context, node, activation, MUL)


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _int8,
    dtypes.INT16: _int16,
    dtypes.INT32: _int32,
}


# scale 1 * scale 2 / output scale in double, as in TFLM.
def _multiplier(node):
    first, second, target = node.input(0), node.input(1), node.output(0)
    for tensor in (first, second, target):
        check_quantized(node, tensor, tensor.is_constant())
    product = scale.multiply(scale_of(first), scale_of(second))
    multiplier, shift = scale.quantize_multiplier(scale.divide(product, scale_of(target)))
    support_scale(shift < 31, node, target)
    return multiplier, shift
