# tflm: CUMSUM: Prepare (TFLM cumsum.cc)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    FLOAT_WORK,
    REQUANTIZE,
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    constant_ints,
    limits,
    positive_axis,
    product,
    requantize_table,
    same_shape,
    scale_of,
    support_scale,
)

_GEOMETRY = ("depth", "inner", "exclusive", "reverse")
FLOAT = ("input", "output") + _GEOMETRY
INT8 = (
    ("input", "output", "accumulators", "row") + _GEOMETRY + ("block", "zero_point") + REQUANTIZE
)

_OPTIONS = const(102)  # CumsumOptions
_EXCLUSIVE = const(0)
_REVERSE = const(1)
_LEFT_SHIFT = 20
_BLOCK = 32
_INT8_WORK = 12  # of an element, in multiply-accumulates

output_shapes = same_shape


def prepare(context, node):
    source, axis, target = node.input(0), node.input(1), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8)
    check_dtype(node, target, source.dtype)
    check_dtype(node, axis, dtypes.INT32)
    check_outputs(node, output_shapes(node))
    rank = len(source.shape)
    check(rank > 0 and axis.elements() == 1, node, "%s should be one axis of %s" % (axis, source))
    axis = positive_axis(node, constant_ints(node, axis, "the axis")[0], rank)
    options = node.options(_OPTIONS)
    fields = {
        "input": source,
        "output": target,
        "depth": source.shape[axis],
        "inner": product(source.shape[axis + 1 :]),
        "exclusive": 1 if options.get(_EXCLUSIVE, "B") else 0,
        "reverse": 1 if options.get(_REVERSE, "B") else 0,
    }
    if not source.elements():
        return
    if source.dtype == dtypes.INT8:
        _emit_int8(context, node, fields)
    else:
        units = source.elements()
        work = units * FLOAT_WORK
        context.emit("cumsum_float.eval_float32", FLOAT, units, work, **fields)


# TFLM multiplies each difference to the zero point by 2**20 and one half, and the sum by 2 * input
# scale / (2**20 * output scale), which must be less than 1.
def _emit_int8(context, node, fields):
    source, target = node.input(0), node.output(0)
    check_quantized(node, source)
    check_quantized(node, target)
    m, e = scale_of(source)
    output = scale_of(target)
    ratio = scale.divide((m, e + 1), (output[0], output[1] + _LEFT_SHIFT))
    multiplier, shift = scale.quantize_multiplier(ratio)
    support_scale(shift <= 0, node, target)
    low, high = limits(dtypes.INT8)
    block = min(source.elements(), _BLOCK)
    context.emit(
        "cumsum.eval_int8",
        INT8,
        source.elements(),
        source.elements() * _INT8_WORK,
        requantize_table([(multiplier, shift)]),
        accumulators=context.request_scratch_buffer(4 * block),
        row=context.request_scratch_buffer(block),
        block=block,
        zero_point=source.zero_point(),
        output_zero_point=target.zero_point(),
        activation_min=low,
        activation_max=high,
        per_channel=0,
        channels=1,
        **fields,
    )
