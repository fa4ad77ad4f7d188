# tflm: RSQRT, and SQRT of int8: Prepare (TFLM elementwise.cc, kernels/internal/common.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import same_shape, scale_of
from .fixed_point import (
    multiply_by_quantized_multiplier,
    saturating_left_shift,
    saturating_rounding_doubling_high_mul,
)
from .lookup import LOOKUP, unary_tensors
from .unary_float import UNARY, emit_unary

FLOAT = UNARY + ("one",)
INT8 = LOOKUP + ("lowest",)

_ONE = 0x3F800000  # a float32
_SHIFT = 20  # fractional bits of the root's reciprocal
_HALF_SQRT_2 = 1518500250  # 31 fractional bits
_THREE_HALVES = 3 << 27  # 28 fractional bits
_INT32_MAX = (1 << 31) - 1

output_shapes = same_shape


def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8, dtypes.INT16)
    if source.dtype == dtypes.FLOAT32:
        emit_unary(context, node, "rsqrt_float", 4, FLOAT, one=_ONE)
        return
    if source.dtype == dtypes.INT16:
        from .int16_table import emit_rsqrt

        emit_rsqrt(context, node)
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    divisor = scale.multiply(scale.square_root(scale_of(source)), scale_of(target))
    multiplier, shift = scale.quantize_multiplier(scale.divide((1, 0), divisor))
    table = bytearray(256)
    for x in range(zero_in, 128):
        y = 127
        if x > zero_in:
            root, right = inverse_square_root(x - zero_in)
            y = multiply_by_quantized_multiplier(1, root, _SHIFT - right)
            y = multiply_by_quantized_multiplier(y, multiplier, shift - _SHIFT) + zero_out
        table[x & 0xFF] = min(max(y, -128), 127) & 0xFF
    _emit_int8(context, node, table)


# Write the record for a table of bytes; the kernel refuses inputs below the zero point.
def _emit_int8(context, node, table):
    source = node.input(0)
    context.emit(
        "rsqrt.eval_int8",
        INT8,
        source.elements(),
        source.elements(),
        input=source,
        entries=context.constant(table, 1),
        output=node.output(0),
        lowest=source.zero_point(),
    )


# SQRT, int8, which TFLM lacks: LiteRT's elementwise.cc computes in float32 and truncates.
def emit_sqrt(context, node):
    source, target = node.input(0), node.output(0)
    zero_in, zero_out = source.zero_point(), target.zero_point()
    table = bytearray(256)
    for x in range(zero_in, 128):
        y = zero_out
        if x > zero_in:
            number = scale.multiply(scale_of(source), scale.from_int(x - zero_in), scale.SINGLE)
            root = scale.rounded(scale.square_root(number), scale.SINGLE)
            m, e = scale.divide(root, scale_of(target), scale.SINGLE)
            y += m << e if e >= 0 else m >> 0 - e
        table[x & 0xFF] = min(max(y, -128), 127) & 0xFF
    _emit_int8(context, node, table)


# Return 1 / sqrt(x) for an integer x > 0 as (multiplier with 31 fractional bits, right shift):
# TFLM's GetInvSqrtQuantizedMultiplierExp. x is scaled to 1/4 .. 1 with 29 fractional bits; then
# five steps y = y * 3/2 - x/2 * y**3 of Newton's method follow with 28.
def inverse_square_root(x):
    if x == 1:
        return _INT32_MAX, 0
    product = saturating_rounding_doubling_high_mul
    shift = 11
    while x >= 1 << 29:
        x >>= 2
        shift += 1
    while x < 1 << 27:
        x <<= 2
        shift -= 1
    half = (x >> 1) + 1 >> 1
    y = 1 << 28
    for _ in range(5):
        cube = saturating_left_shift(product(product(y, y), y), 6)
        y = saturating_left_shift(product(_THREE_HALVES, y) - product(half, cube), 3)
    y = product(y, _HALF_SQRT_2)
    if shift < 0:
        return y << 0 - shift, 0
    return y, shift
