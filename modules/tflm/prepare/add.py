# tflm: ADD: Prepare (TFLM add_common.cc), and helpers that SUB shares
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from ..errors import UnsupportedError
from . import scale
from .broadcast import BROADCAST, emit_broadcast, spread_shape
from .common import (
    REQUANTIZE,
    activation_range,
    check_quantized,
    requantize_table,
    scale_of,
)
from .elementwise import CLAMP, check_unquantized, int32_range, prepare_binary

_SCALED = BROADCAST + ("offset1", "offset2", "factor1", "factor2", "multiplier", "shift")
INT8 = _SCALED + REQUANTIZE
INT16 = _SCALED + CLAMP + ("output_multiplier", "output_shift")
INT32 = BROADCAST + ("factor", "activation_min", "activation_max")

_OPTIONS = const(11)  # AddOptions
_INT8_SHIFT = 20
_INT16_SHIFT = 15
_INT8_WORK = 12  # of an element, in multiply-accumulates
_INT16_WORK = 20
_INT32_WORK = 4

output_shapes = spread_shape


def prepare(context, node):
    prepare_binary(context, node, _OPTIONS, _KERNELS)


def _int8(context, node, activation):
    emit_int8(context, node, activation, 1)


def _int16(context, node, activation):
    emit_int16(context, node, activation, 1)


# TFLM ignores the activation of an int32 ADD, and supports only int32 without quantization.
def _int32(context, node, activation):
    check_unquantized(node, (node.input(0), node.input(1)))
    emit_int32(context, node, 0, 1)


def _float32(context, node, activation):
    from .arithmetic_float import ADD, emit_arithmetic

    emit_arithmetic(context, node, activation, ADD)


_KERNELS = {
    dtypes.FLOAT32: _float32,
    dtypes.INT8: _int8,
    dtypes.INT16: _int16,
    dtypes.INT32: _int32,
}


# int8: input 1 + sign * input 2.
def emit_int8(context, node, activation, sign):
    inputs, fields, output = _scaled(node, _INT8_SHIFT, 0x80, sign)
    low, high = activation_range(node, node.output(0), activation)
    # A multiplier above 1: most outputs saturate. TFLM refuses it, and LiteRT's SUB shifts by a
    # negative number, which C++ does not define. ADD and SUB are computed as they are meant.
    if context.target_packing is not None and output[1] <= 0:
        from . import add_table

        if add_table.emit(context, node, inputs, fields, output, low, high):
            return
    emit_broadcast(
        context,
        node,
        "add.eval_int8",
        INT8,
        inputs,
        _INT8_WORK,
        4,
        requantize_table([output]),
        output_zero_point=node.output(0).zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=0,
        channels=1,
        **fields,
    )


# int16: input 1 + sign * input 2.
def emit_int16(context, node, activation, sign):
    inputs, fields, output = _scaled(node, _INT16_SHIFT, 0x8000, sign)
    if output[1] > 0:
        raise UnsupportedError(
            "%s: %s has a scale far below the scales of the inputs; quantize again with data "
            "for which the inputs of this operator differ, or quantize to int8"
            % (node, node.output(0))
        )
    low, high = activation_range(node, node.output(0), activation)
    fields["shift"] = 32 - fields["shift"]  # as kernels/fixed_point.py requires
    emit_broadcast(
        context,
        node,
        "add_int16.eval_int16",
        INT16,
        inputs,
        _INT16_WORK,
        output_zero_point=node.output(0).zero_point(),
        activation_min=low,
        activation_max=high,
        output_multiplier=output[0],
        output_shift=output[1] + 32,
        **fields,
    )


# int32: input 1 + sign * input 2, wrapping around.
def emit_int32(context, node, activation, sign):
    low, high = int32_range(node, activation)
    emit_broadcast(
        context,
        node,
        "add_int32.eval_int32",
        INT32,
        (node.input(0), node.input(1)),
        _INT32_WORK,
        factor=sign,
        activation_min=low,
        activation_max=high,
    )


# TFLM's three multipliers: scale / (2 * larger scale) for each input, and 2 * larger scale /
# (2**left_shift * output scale). The first one is always 1/2 for the input with the larger scale,
# which comes first in the record. `flip`: the kernel turns signed values into unsigned ones with
# it.
def _scaled(node, left_shift, flip, sign):
    inputs, target = [node.input(0), node.input(1)], node.output(0)
    for tensor in inputs + [target]:
        check_quantized(node, tensor)
    signs = [1, sign]
    if scale.less(scale_of(inputs[0]), scale_of(inputs[1])):
        inputs.reverse()
        signs.reverse()
    m, e = scale_of(inputs[0])
    twice = m, e + 1
    multiplier, shift = scale.quantize_multiplier(scale.divide(scale_of(inputs[1]), twice))
    m, e = scale_of(target)
    output = scale.quantize_multiplier(scale.divide(twice, (m, e + left_shift)))
    fields = {
        "offset1": inputs[0].zero_point() + flip,
        "offset2": inputs[1].zero_point() + flip,
        "factor1": signs[0] << (left_shift - 1),
        "factor2": signs[1],
        "multiplier": multiplier,
        "shift": 0 - shift,
    }
    return inputs, fields, output
