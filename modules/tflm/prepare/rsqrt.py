# tflm: RSQRT: Prepare (TFLM elementwise.cc, kernels/internal/common.h)
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
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8)
    if source.dtype == dtypes.FLOAT32:
        emit_unary(context, node, "rsqrt_float", 4, FLOAT, one=_ONE)
        return
    zero_in, zero_out = source.zero_point(), target.zero_point()
    divisor = scale.multiply(square_root(scale_of(source)), scale_of(target))
    multiplier, shift = scale.quantize_multiplier(scale.divide((1, 0), divisor))
    table = bytearray(256)
    for x in range(zero_in, 128):
        y = 127
        if x > zero_in:
            root, right = inverse_square_root(x - zero_in)
            y = multiply_by_quantized_multiplier(1, root, _SHIFT - right)
            y = multiply_by_quantized_multiplier(y, multiplier, shift - _SHIFT) + zero_out
        table[x & 0xFF] = min(max(y, -128), 127) & 0xFF
    context.emit(
        "rsqrt.eval_int8",
        INT8,
        source.elements(),
        source.elements(),
        input=source,
        entries=context.constant(table, 1),
        output=target,
        lowest=zero_in,
    )


# Return the root of a positive number, rounded to double: 60 bits of it, bit by bit, and a last
# bit that is set if there is a remainder.
def square_root(number):
    m, e = number
    up = 119 - scale.bit_length(m)
    up += e - up & 1
    rest = m << up
    root, bit = 0, 1 << 118
    while bit:
        if rest >= root + bit:
            rest -= root + bit
            root = (root >> 1) + bit
        else:
            root >>= 1
        bit >>= 2
    return scale.rounded((root << 1 | (1 if rest else 0), (e - up >> 1) - 1), scale.DOUBLE)


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
