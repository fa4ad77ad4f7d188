# tflm: SOFTMAX: Prepare (TFLM softmax_common.cc, reference/softmax.h)
# MIT license; Copyright (c) 2026 the tflm authors

import struct

from .. import dtypes
from ..dtypes import const
from . import scale
from .common import (
    check,
    check_dtype,
    check_outputs,
    check_quantized,
    same_shape,
    scale_of,
    support,
)
from .fixed_point import EXP_MINUS_EIGHTH, EXP_POWERS, NEWTON_SLOPE, NEWTON_START, ONE_THIRD

SOFTMAX = (
    "input",
    "output",
    "exps",
    "depth",
    "output_bits",
    "multiplier",
    "shift",
    "largest_difference",
    "slots",
)

_OPTIONS = const(9)  # SoftmaxOptions
_BETA = const(0)
_DIFFERENCE_BITS = 5  # integer bits of the argument of exp()
_MAX_DEPTH = 8191  # the sum of exps has 13 integer bits
_MAX_SLOTS = 223  # words of the table of exps, 896 bytes with the sum
_SLOTS_PER_ELEMENT = 4  # a small tensor does not justify a large table
_SMALLEST = ((1 << 30) + 1, -30)  # a little more than 1
_NEAR = 0x3A83126F  # 0.001 in float32
_CONSTANTS = (EXP_MINUS_EIGHTH, ONE_THIRD) + EXP_POWERS + (NEWTON_START, NEWTON_SLOPE)

output_shapes = same_shape


def prepare(context, node):
    source, target = node.input(0), node.output(0)
    check_dtype(node, source, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    check(len(source.shape) > 0, node, "%s needs a dimension" % source)
    check_outputs(node, output_shapes(node))
    if source.dtype == dtypes.FLOAT32:
        from .softmax_float import emit_softmax_float

        check_dtype(node, target, dtypes.FLOAT32)
        emit_softmax_float(context, node, node.options(_OPTIONS).get(_BETA, "I"))
        return
    if source.dtype == dtypes.INT16:
        from .softmax_int16 import prepare_int16

        prepare_int16(context, node, scale.from_bits(node.options(_OPTIONS).get(_BETA, "I")))
        return
    check_dtype(node, target, dtypes.INT8, dtypes.INT16)
    check_quantized(node, source)
    check_quantized(node, target)
    bits = 16 if target.dtype == dtypes.INT16 else 8
    _check_output(node, target, bits)
    depth = source.shape[-1]
    support(depth <= _MAX_DEPTH, node, "a last dimension of %d" % depth)
    multiplier, shift = _difference_multiplier(node, source)
    # Differences to the largest value of a row that matter (CalculateInputRadius).
    radius = ((1 << _DIFFERENCE_BITS) - 1) << (31 - _DIFFERENCE_BITS)
    largest_difference = min(255, radius >> shift)
    slots = min(largest_difference + 1, _MAX_SLOTS, _SLOTS_PER_ELEMENT * source.elements())
    context.emit(
        "softmax.eval_int8",
        SOFTMAX,
        source.elements() // depth if depth else 0,
        source.elements() * 16,
        table=struct.pack("<%dI" % len(_CONSTANTS), *[c & 0xFFFFFFFF for c in _CONSTANTS]),
        input=source,
        output=target,
        exps=context.request_scratch_buffer(4 * (1 + slots)),
        depth=depth,
        output_bits=bits,
        multiplier=multiplier,
        shift=shift,
        largest_difference=largest_difference,
        slots=slots,
    )


# The output must map 0..1 to its whole type. As in TFLM, int16 may differ by a thousandth.
def _check_output(node, target, bits):
    m, e = scale_of(target)
    off = scale.add((m, e + bits), (-1, 0), scale.SINGLE)
    limit = scale.from_bits(_NEAR) if bits == 16 else (0, 0)
    support(
        target.zero_point() == -1 << (bits - 1) and not scale.less(limit, (abs(off[0]), off[1])),
        node,
        "an output quantization other than scale 1/%d, zero point %d"
        % (1 << bits, -1 << (bits - 1)),
    )


# Return beta times the input's scale, with 26 fractional bits (PreprocessSoftmaxScaling). TFLM
# lacks scales below _SMALLEST, which untrained networks have; all exps are 1 there, as in LiteRT.
def _difference_multiplier(node, source):
    beta = scale.from_bits(node.options(_OPTIONS).get(_BETA, "I"))
    m, e = scale.multiply(beta, scale_of(source))
    real = (m, e + 31 - _DIFFERENCE_BITS)
    largest = ((1 << 31) - 1, 0)
    support(scale.less((0, 0), real), node, "a beta that is negative or 0")
    if not scale.less((1, 0), real):
        real = _SMALLEST
    return scale.quantize_multiplier(largest if scale.less(largest, real) else real)
