# tflm: HARD_SWISH: Prepare (TFLM hard_swish_common.cc, reference/hard_swish.h)
# MIT license; Copyright (c) 2026 the tflm authors

from .. import dtypes
from . import scale
from .common import same_shape, scale_of, support
from .lookup import emit_lookup, unary_tensors

_INT16_MIN = -(1 << 15)
_INT16_MAX = (1 << 15) - 1
_HIRES_BITS = 7  # bits by which inputs are shifted left first
_RELUISH_SCALE = (3, -15)  # 3.0 is 32768 in the factor relu6(x + 3) / 6

output_shapes = same_shape


def prepare(context, node):
    source, target = unary_tensors(node, dtypes.FLOAT32, dtypes.INT8)
    if source.dtype == dtypes.FLOAT32:
        from .unary_float import emit_hard_swish

        emit_hard_swish(context, node)
        return
    m, e = scale_of(source)
    hires = (m, e - _HIRES_BITS)
    multiplier, exponent = _multiplier(hires, scale_of(target))
    support(exponent <= 0, node, "an output scale below 1/128 of the input scale")
    reluish = _multiplier(hires, _RELUISH_SCALE)
    zero_in, zero_out = source.zero_point(), target.zero_point()

    # x on the output's scale, not shifted yet, times the factor 0..1 of x.
    def hard_swish(x):
        x = (x - zero_in) << _HIRES_BITS
        factor = _reluish(x, reluish[0], reluish[1])
        y = _high_mul(x, multiplier) * factor
        y = 0 - (0 - y >> 15) if y < 0 else y >> 15  # SaturatingDoublingHighMul truncates
        return min(max(_divide_by_pot(y, 0 - exponent) + zero_out, -128), 127)

    emit_lookup(context, node, hard_swish)


# Return a / b as a multiplier of 16 bits and an exponent (DownScaleInt32ToInt16Multiplier).
def _multiplier(a, b):
    multiplier, exponent = scale.quantize_multiplier(scale.divide(a, b))
    return min((multiplier + (1 << 15)) >> 16, _INT16_MAX), exponent


# relu6(x + 3) / 6 with 15 fractional bits. A left shift is split around the product, with the last
# bit after it, so that only this bit saturates.
def _reluish(x, multiplier, exponent):
    if exponent > 0:
        x = _saturated(x << (exponent - 1))
    x = _high_mul(x, multiplier)
    if exponent > 0:
        x = _saturated(x << 1)
    if exponent < 0:
        x = _divide_by_pot(x, 0 - exponent)
    return (x + (1 << 15)) >> 1


# gemmlowp's SaturatingRoundingDoublingHighMul on int16, for a multiplier that is not negative.
def _high_mul(a, multiplier):
    return (a * multiplier + (1 << 14)) >> 15


# gemmlowp's RoundingDivideByPOT on int16. Its mask has 16 bits: from 16 on the remainder is the
# whole x, so that 0 and more give 1.
def _divide_by_pot(x, exponent):
    mask = (1 << exponent) - 1 if exponent < 16 else -1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if (x & mask) > threshold else 0)


def _saturated(x):
    return max(_INT16_MIN, min(x, _INT16_MAX))
