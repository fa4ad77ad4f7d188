# tflm: DIV: Prepare (TFLM div.cc, reference/div.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import FLOAT_WORK, activation_range, check_quantized, float_activation_range, scale_of
from .elementwise import check_unquantized, int32_range, prepare_binary
from .fixed_point import one_over_one_plus

_SCALED = ("offset1", "offset2", "output_zero_point", "activation_min", "activation_max")
INT8 = BROADCAST + _SCALED + ("multiplier", "shift")
INT32 = BROADCAST + ("activation_min", "activation_max")
FLOAT = BROADCAST + ("activation_min", "activation_max")

_OPTIONS = const(29)  # DivOptions
_INT8_WORK = 24  # of an element, in multiply-accumulates
_INT32_WORK = 12

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _OPTIONS, _KERNELS)


# The table has the reciprocals of 128 .. 255 in units of 2**-38: every divisor is one of these
# times a power of two.
def _int8(context, node, activation):
    first, second, target = node.input(0), node.input(1), node.output(0)
    for tensor in (first, second, target):
        check_quantized(node, tensor)
    product = scale.multiply(scale_of(second), scale_of(target))
    ratio = scale.divide(scale_of(first), product)
    multiplier, shift = scale.quantize_multiplier(ratio)
    low, high = activation_range(node, target, activation)
    table = [one_over_one_plus(i << 24) for i in range(128)]
    emit_broadcast(
        context,
        node,
        "div.eval_int8",
        INT8,
        (first, second),
        _INT8_WORK,
        table=struct.pack("<128I", *table),
        offset1=first.zero_point() + 0x80,
        offset2=second.zero_point() + 0x80,
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        multiplier=multiplier,
        shift=shift,
    )


def _int32(context, node, activation):
    check_unquantized(node, (node.input(0), node.input(1)))
    low, high = int32_range(node, activation)
    emit_broadcast(
        context,
        node,
        "div_int32.eval_int32",
        INT32,
        (node.input(0), node.input(1)),
        _INT32_WORK,
        activation_min=low,
        activation_max=high,
    )


def _float32(context, node, activation):
    low, high = float_activation_range(node, activation)
    emit_broadcast(
        context,
        node,
        "div_float.eval_float32",
        FLOAT,
        (node.input(0), node.input(1)),
        FLOAT_WORK,
        activation_min=low,
        activation_max=high,
    )


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _int8,
    dtypes.INT32: _int32,
}
