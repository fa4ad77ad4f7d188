# tflm: SQRT of int16, which LiteRT computes in float32: Prepare (LiteRT elementwise.cc)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from .cast import FLOAT as CAST
from .common import FLOAT_WORK, support
from .dequantize import DEQUANTIZE
from .div import FLOAT as DIV
from .rescale import TYPES
from .unary_float import UNARY

_INT16 = 2  # type of kernels/float32_convert.py
_LOWEST, _HIGHEST = 0xFF7FFFFF, 0x7F7FFFFF  # finite float32
_ALL = 1 << 28  # elements of a block: nothing is expanded


# Four records on float32 in a scratch buffer. The root, divided by the scale of the output, loses
# its fraction. A negative number, for which LiteRT ends with an error, becomes 0.
def emit_sqrt(context, node):
    source, target = node.input(0), node.output(0)
    for tensor in (source, target):
        support(not tensor.zero_point(), node, "%s: a zero point" % tensor)
    elements = source.elements()
    x = context.request_scratch_buffer(4 * elements)
    context.emit(
        "dequantize.eval_integers",
        DEQUANTIZE,
        elements,
        elements * 16,
        input=source,
        scale=_constant(context, source),
        output=x,
        type=TYPES[dtypes.INT16],
        zero_point=0,
    )
    work = elements * FLOAT_WORK
    context.emit("sqrt_float.eval_float32", UNARY, elements, 2 * work, input=x, output=x)
    context.emit(
        "div_float.eval_float32",
        DIV,
        elements,
        work,
        input1=x,
        input2=_constant(context, target),
        output=x,
        row1=None,
        row2=None,
        accumulators=None,
        step1=4,
        step2=0,
        expand1=0,
        expand2=0,
        block=_ALL,
        activation_min=_LOWEST,
        activation_max=_HIGHEST,
    )
    context.emit(
        "cast_float.eval_from_float32",
        CAST,
        elements,
        work // 2,
        input=x,
        output=target,
        type=_INT16,
        size=2,
    )


# The scale of a tensor as an operand.
def _constant(context, tensor):
    return context.constant(struct.pack("<I", tensor.scale_bits()))
