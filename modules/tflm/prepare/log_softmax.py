# tflm: LOG_SOFTMAX: Prepare (TFLM log_softmax.cc, reference/log_softmax.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    FLOAT_WORK,
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    same_shape,
    scale_of,
    support,
)
from .fixed_point import (
    NEWTON_SLOPE,
    NEWTON_START,
    exp_on_negative_values,
    multiply_by_quantized_multiplier,
    rounding_divide_by_pot,
)

INT8 = (
    "input",
    "output",
    "words",  # scratch
    "depth",
    "multiplier",
    "shift",
    "largest_difference",
    "reverse_shift",
)
FLOAT = ("input", "output", "scalars", "depth", "lowest")

_LOWEST = 0xFF7FFFFF
_FLOAT_WORK = 8 * FLOAT_WORK
_EXPS = const(32)  # that the kernel of float32 computes at a time
_INT8_WORK = 10  # of an element, in multiply-accumulates
_ROW_WORK = 500  # of the logarithm of a row

_DIFFERENCE_BITS = 5  # integer bits of the argument of exp()
_SUM_BITS = 12  # integer bits of the sum of exps
_MAX_DEPTH = 4095
_ZERO_POINT = 127
_SCALE = 0x3D800000  # 1/16

# Constants of TFLM's logarithm with 31 fractional bits: ln(2), sqrt(1/2) and its root, the
# coefficients of numerator and denominator.
_LOGARITHM = (1488522236, 1518500250, 1805811301, 117049297, 127690142, 1057819769, 638450708)
_WORDS = 24  # of scratch: these, Newton's two, the reverse multiplier, then variables

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8)
    check_dtype(node, target, source.dtype)
    check(len(source.shape) > 0, node, "%s needs a dimension" % source)
    check_outputs(node, output_shapes(node))
    if not source.elements():
        return
    if source.dtype == dtypes.INT8:
        _emit_int8(context, node, source, target)
        return
    context.emit(
        "log_softmax_float.eval_float32",
        FLOAT,
        source.elements() // source.shape[-1],
        source.elements() * _FLOAT_WORK,
        input=source,
        output=target,
        scalars=context.request_scratch_buffer(8 + 4 * min(source.shape[-1], _EXPS)),
        depth=source.shape[-1],
        lowest=_LOWEST,
    )


# Inputs are scaled to 26 fractional bits (PreprocessLogSoftmaxScalingExp). The table after the
# record: the constants, then exp(-difference) with 19 fractional bits for all differences that
# matter.
def _emit_int8(context, node, source, target):
    check_quantized(node, source)
    check_quantized(node, target)
    support(
        target.zero_point() == _ZERO_POINT and target.scale_bits() == _SCALE,
        node,
        "an output quantization other than scale 1/16, zero point 127",
    )
    depth = source.shape[-1]
    support(depth <= _MAX_DEPTH, node, "a last dimension of %d" % depth)
    m, e = scale_of(source)
    real = (m, e + 31 - _DIFFERENCE_BITS)
    largest = ((1 << 31) - 1, 0)
    support(scale.less((1, 0), real), node, "%s: so small a scale" % source)
    multiplier, shift = scale.quantize_multiplier(largest if scale.less(largest, real) else real)
    ratio = scale.divide((1, 31 - shift), (multiplier, 0))
    reverse_multiplier, reverse_shift = scale.quantize_multiplier(ratio)
    radius = ((1 << _DIFFERENCE_BITS) - 1) << (31 - _DIFFERENCE_BITS)
    largest_difference = min(255, radius >> shift)
    words = list(_LOGARITHM) + [NEWTON_START, NEWTON_SLOPE & 0xFFFFFFFF, reverse_multiplier]
    for difference in range(largest_difference + 1):
        x = multiply_by_quantized_multiplier(0 - difference, multiplier, shift)
        words.append(
            rounding_divide_by_pot(exp_on_negative_values(x, _DIFFERENCE_BITS), _SUM_BITS)
        )
    rows = source.elements() // depth
    context.emit(
        "log_softmax.eval_int8",
        INT8,
        rows,
        source.elements() * _INT8_WORK + rows * _ROW_WORK,
        struct.pack("<%dI" % len(words), *words),
        input=source,
        output=target,
        words=context.request_scratch_buffer(4 * _WORDS),
        depth=depth,
        multiplier=multiplier,
        shift=shift,
        largest_difference=largest_difference,
        reverse_shift=0 - reverse_shift,
    )
