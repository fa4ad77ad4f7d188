# tflm: TFLM's fixed-point arithmetic on Python ints, for tables made in Prepare
# MIT license; Copyright (c) 2026 the tflm authors


# gemmlowp's SaturatingRoundingDoublingHighMul: the high 32 bits of 2 * a * b, rounded.
def saturating_rounding_doubling_high_mul(a, b):
    if a == b == -(1 << 31):
        return (1 << 31) - 1
    return (a * b + (1 << 30)) >> 31


# gemmlowp's RoundingDivideByPOT: halves away from zero.
def rounding_divide_by_pot(x, exponent):
    if exponent <= 0:
        return x
    return (x + (-1 if x < 0 else 0) + (1 << (exponent - 1))) >> exponent


# TFLM's MultiplyByQuantizedMultiplier for int32 (common.cc), with double rounding; a left shift
# past 31 bits saturates.
def multiply_by_quantized_multiplier(x, multiplier, shift):
    x = max(-(1 << 31), min(x << max(shift, 0), (1 << 31) - 1))
    high = saturating_rounding_doubling_high_mul(x, multiplier)
    return rounding_divide_by_pot(high, 0 - shift)
