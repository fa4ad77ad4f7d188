# tflm: ADD_N: Prepare (TFLM add_n.cc, reference/add_n.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .arithmetic_float import ADD
from .arithmetic_float import LAYOUT as FLOAT
from .broadcast import emit_broadcast
from .common import (
    FLOAT_WORK,
    NONE,
    REQUANTIZE,
    check,
    check_dtype,
    check_quantized,
    requantize_table,
    same_shape,
    scale_of,
    support_scale,
)

INPUTS = tuple(["input%d" % i for i in range(8)])
INT8 = (
    ("output", "accumulators")
    + INPUTS
    + ("inputs", "accumulator_bytes", "continued", "continues", "offset", "block")
    + REQUANTIZE
)

_LEFT_SHIFT = 20
_BLOCK = 128  # elements whose sums are computed at a time
_WORK = 4  # of an element of an input, in multiply-accumulates
_INFINITY, _MINUS_INFINITY = 0x7F800000, 0xFF800000

output_shapes = same_shape


def prepare(context, node):
    target = node.output(0)
    inputs = [node.input(i) for i in range(len(node.inputs))]
    check(len(inputs) >= 2, node, "it must have 2 inputs or more")
    check_dtype(node, inputs[0], dtypes.FLOAT32, dtypes.INT32, dtypes.INT8)
    for tensor in inputs + [target]:
        check_dtype(node, tensor, inputs[0].dtype)
        check(
            tensor.shape == inputs[0].shape,
            node,
            "%s and %s differ in shape" % (inputs[0], tensor),
        )
    if target.dtype == dtypes.FLOAT32:
        _emit_float(context, node, inputs, target)
    elif target.dtype == dtypes.INT32:
        _emit_int32(context, node, inputs, target)
    else:
        _emit_int8(context, node, inputs, target)


# The sum of the first two inputs, then each other input is added to it.
def _emit_float(context, node, inputs, target):
    kernel = "arithmetic_float.eval_float32"
    fields = {"kind": ADD, "activation_min": _MINUS_INFINITY, "activation_max": _INFINITY}
    pair = inputs[:2]
    for i in range(1, len(inputs)):
        emit_broadcast(context, node, kernel, FLOAT, pair, FLOAT_WORK, **fields)
        pair = [target] + inputs[i + 1 : i + 2]


# TFLM has no int32; sums equal LiteRT's.
def _emit_int32(context, node, inputs, target):
    from .add import emit_int32

    pair = inputs[:2]
    for i in range(1, len(inputs)):
        emit_int32(context, node.with_inputs(pair), NONE, 1)
        pair = [target] + inputs[i + 1 : i + 2]


# All inputs have the same quantization: TFLM's multiplier for them is one half. Its sum starts
# with a quantized 0, so that the zero point counts once more than there are inputs. A record has
# up to 8 inputs. With more inputs, the sums of all elements are kept between the records.
def _emit_int8(context, node, inputs, target):
    for tensor in inputs + [target]:
        check_quantized(node, tensor)
        check(
            tensor is target
            or tensor.scale_bits() == inputs[0].scale_bits()
            and tensor.zero_point() == inputs[0].zero_point(),
            node,
            "%s and %s differ in quantization" % (inputs[0], tensor),
        )
    m, e = scale_of(inputs[0])
    m_out, e_out = scale_of(target)
    ratio = scale.divide((m, e + 1), (m_out, e_out + _LEFT_SHIFT))
    multiplier, shift = scale.quantize_multiplier(ratio)
    support_scale(shift <= 0, node, target)
    elements = target.elements()
    limit = len(INPUTS)
    kept = elements if len(inputs) > limit else min(_BLOCK, elements)
    accumulators = context.request_scratch_buffer(4 * kept)
    for first in range(0, len(inputs), limit):
        chunk = inputs[first : first + limit]
        padded = chunk + [None] * (limit - len(chunk))
        context.emit(
            "add_n.eval_int8",
            INT8,
            elements,
            elements * (len(chunk) + 2) * _WORK,
            requantize_table([(multiplier, shift)]),
            output=target,
            accumulators=accumulators,
            inputs=len(chunk),
            accumulator_bytes=4 if len(inputs) > limit else 0,
            continued=1 if first else 0,
            continues=1 if first + limit < len(inputs) else 0,
            offset=len(chunk) * 0x80 + (len(chunk) + (0 if first else 1)) * inputs[0].zero_point(),
            block=_BLOCK,
            output_zero_point=target.zero_point(),
            activation_min=-128,
            activation_max=127,
            per_channel=0,
            channels=1,
            **dict(zip(INPUTS, padded)),
        )
