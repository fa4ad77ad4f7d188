# tflm: TFLM's fixed-point arithmetic on Python ints, for the tables of Prepare
# MIT license; Copyright (c) 2026 the tflm authors

_INT32_MIN = -(1 << 31)
_INT32_MAX = (1 << 31) - 1
_ONE = 1 << 29  # 1.0 with two integer bits

# exp(-2**e) with 31 fractional bits for e = -2 .. 4, as in gemmlowp's fixedpoint.h.
EXP_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)
EXP_MINUS_EIGHTH = 1895147668  # exp(-1/8), 31 fractional bits
ONE_THIRD = 715827883  # 1/3, 31 fractional bits
NEWTON_START = 1515870810  # 48/17, 29 fractional bits
NEWTON_SLOPE = -1010580540  # -32/17, 29 fractional bits


# gemmlowp's SaturatingRoundingDoublingHighMul: the upper 32 bits of 2 * a * b, rounded.
def saturating_rounding_doubling_high_mul(a, b):
    if a == b == _INT32_MIN:
        return _INT32_MAX
    return (a * b + (1 << 30)) >> 31


# gemmlowp's RoundingDivideByPOT: halves away from zero.
def rounding_divide_by_pot(x, exponent):
    if exponent <= 0:
        return x
    return (x + (-1 if x < 0 else 0) + (1 << (exponent - 1))) >> exponent


# x * 2**exponent, saturated to 32 bits; gemmlowp's SaturatingRoundingMultiplyByPOT.
def saturating_left_shift(x, exponent):
    return max(_INT32_MIN, min(x << exponent, _INT32_MAX))


# TFLM's MultiplyByQuantizedMultiplier for int32 (common.cc), with double rounding; a left shift
# past 31 bits saturates.
def multiply_by_quantized_multiplier(x, multiplier, shift):
    x = saturating_left_shift(x, max(shift, 0))
    high = saturating_rounding_doubling_high_mul(x, multiplier)
    return rounding_divide_by_pot(high, 0 - shift)


# exp(a) with 31 fractional bits for a <= 0 with `integer_bits` integer bits: gemmlowp's
# exp_on_negative_values. The distance to the next multiple of 1/4 goes through a Taylor polynomial
# of degree 4 around -1/8; then there is one product with exp(-2**e) for each bit of the multiple.
# exp(0) is the largest int32.
def exp_on_negative_values(a, integer_bits):
    if a == 0:
        return _INT32_MAX
    product = saturating_rounding_doubling_high_mul
    quarter = 1 << (29 - integer_bits)
    fraction = (a & (quarter - 1)) - quarter
    x = (fraction << integer_bits) + (1 << 28)
    x2 = product(x, x)
    x3 = product(x2, x)
    x4 = product(x2, x2)
    terms = product(rounding_divide_by_pot(x4, 2) + x3, ONE_THIRD) + x2
    terms = x + rounding_divide_by_pot(terms, 1)
    result = EXP_MINUS_EIGHTH + product(EXP_MINUS_EIGHTH, terms)
    quarters = (fraction - a) >> (29 - integer_bits)
    for e in range(integer_bits + 2):
        if quarters >> e & 1:
            result = product(result, EXP_POWERS[e])
    return result


# 2 / (1 + a) with 29 fractional bits for a in 0..1 with 31: three steps of Newton's division on
# half of the denominator, as in gemmlowp.
def _two_over_one_plus(a):
    product = saturating_rounding_doubling_high_mul
    half = (a + (1 << 31)) >> 1
    x = NEWTON_START + product(half, NEWTON_SLOPE)
    for _ in range(3):
        x += saturating_left_shift(product(x, _ONE - product(half, x)), 2)
    return x


# 1 / (1 + a) with 31 fractional bits for a in 0..1 with 31: one_over_one_plus_x_for_x_in_0_1.
def one_over_one_plus(a):
    return saturating_left_shift(_two_over_one_plus(a), 1)


# logistic(a) with 31 fractional bits; `a` has `integer_bits` integer bits.
def logistic(a, integer_bits):
    if a == 0:
        return 1 << 30
    exponential = exp_on_negative_values(0 - abs(a), integer_bits)
    result = one_over_one_plus(exponential)
    return result if a > 0 else _INT32_MAX - result


# tanh(a) with 31 fractional bits; `a` has `integer_bits` integer bits. With exp(-2 |a|) = x it is
# (1 - x) / (1 + x); doubling |a| adds one integer bit.
def tanh(a, integer_bits):
    if a == 0:
        return 0
    exponential = exp_on_negative_values(0 - abs(a), integer_bits + 1)
    result = saturating_left_shift(_two_over_one_plus(exponential) - _ONE, 2)
    return result if a > 0 else 0 - result
