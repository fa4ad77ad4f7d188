# Tests of Prepare's exact arithmetic: the same last bit as C++ floats and doubles
# MIT license; Copyright (c) 2026 the tflm authors

import math
from fractions import Fraction

import numpy as np
import pytest
from tflm.errors import ModelError
from tflm.prepare import fixed_point, scale

_COUNT = 20000
_SMALLEST = np.float32(1e-45)  # the smallest subnormal


# Return a float32 as scale.py represents it.
def number(value):
    return scale.from_bits(int(np.float32(value).view(np.uint32)))


# Return the exact value of a number of scale.py.
def exact_value(pair):
    return Fraction(pair[0]) * Fraction(2) ** pair[1]


# Return positive float32 in the range of scales, and some outside.
def scales(seed, count=_COUNT):
    rng = np.random.default_rng(seed)
    values = np.exp(rng.uniform(-16, 4, count)).astype(np.float32)
    wild = np.exp(rng.uniform(-80, 80, count // 10)).astype(np.float32)
    values[: len(wild)] = wild
    values[len(wild) : len(wild) + 3] = [1.0, 0.5, 1 / 128]
    return values


# TFLM's QuantizeMultiplier (quantization_util.cc), which computes in doubles.
def quantize_multiplier(value):
    if value == 0:
        return 0, 0
    q, shift = math.frexp(value)
    scaled = q * (1 << 31)
    fixed = math.floor(abs(scaled) + 0.5) * (1 if scaled > 0 else -1)
    if fixed == 1 << 31:
        fixed //= 2
        shift += 1
    return (0, 0) if shift < -31 else (fixed, shift)


def test_multiplier_from_double_product():
    for a, b, c in zip(scales(1), scales(2), scales(3), strict=True):
        wanted = quantize_multiplier(float(a) * float(b) / float(c))
        product = scale.multiply(number(a), number(b))
        got = scale.quantize_multiplier(scale.divide(product, number(c)))
        assert got == wanted, (a, b, c)


def test_multiplier_from_single_product():
    with np.errstate(over="ignore", under="ignore"):
        for a, b, c in zip(scales(4), scales(5), scales(6), strict=True):
            if np.isinf(a * b):
                continue
            wanted = quantize_multiplier(float(a * b) / float(c))
            product = scale.multiply(number(a), number(b), scale.SINGLE)
            got = scale.quantize_multiplier(scale.divide(product, number(c)))
            assert got == wanted, (a, b, c)


def test_multiplier_from_single_quotient():
    with np.errstate(over="ignore", under="ignore"):
        for a, b in zip(scales(7), scales(8), strict=True):
            if np.isinf(a / b):
                continue
            wanted = quantize_multiplier(float(a / b))
            quotient = scale.divide(number(a), number(b), scale.SINGLE)
            assert scale.quantize_multiplier(quotient) == wanted, (a, b)


@pytest.mark.parametrize(
    ("value", "result"),
    [
        (0.0, (0, 0)),
        (1.0, (1 << 30, 1)),
        (-1.0, (-(1 << 30), 1)),
        (0.5, (1 << 30, 0)),
        (1.0 - 2.0**-33, (1 << 30, 1)),  # rounds up to 2**31: halved, shift + 1
        (2.0**-32, (1 << 30, -31)),
        (2.0**-33, (0, 0)),
        (2.0**-32 - 2.0**-70, (1 << 30, -31)),
        (3e9, (1500000000, 32)),
    ],
)
def test_multiplier_at_the_edges(value, result):
    m, e = math.frexp(value)
    assert scale.quantize_multiplier((int(m * (1 << 53)), e - 53)) == result
    assert quantize_multiplier(value) == result


# float32 and double results of +, * and / for random float32, also negative and subnormal ones.
@pytest.mark.parametrize(
    ("precision", "kind"), [(scale.SINGLE, np.float32), (scale.DOUBLE, np.float64)]
)
@pytest.mark.parametrize(
    ("function", "operation"),
    [(scale.add, np.add), (scale.multiply, np.multiply), (scale.divide, np.divide)],
)
def test_arithmetic(function, operation, precision, kind):
    rng = np.random.default_rng(9)
    a = scales(10, 3000) * rng.choice([-1, 1], 3000).astype(np.float32)
    b = scales(11, 3000) * rng.choice([-1, 1], 3000).astype(np.float32)
    a[:300] = rng.integers(1, 1 << 23, 300, np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        for x, y in zip(a, b, strict=True):
            wanted = operation(kind(x), kind(y))
            if np.isfinite(wanted):
                got = function(number(x), number(y), precision)
                assert exact_value(got) == Fraction(float(wanted)), (x, y)


def test_from_bits():
    rng = np.random.default_rng(12)
    for bits in [*rng.integers(0, 1 << 32, 3000, np.uint32), 0, 1, 0x80000000, 0x7FFFFF, 0x800000]:
        value = np.uint32(bits).view(np.float32)
        if np.isfinite(value):
            assert exact_value(scale.from_bits(int(bits))) == Fraction(float(value))
        else:
            with pytest.raises(ModelError, match="infinite or not a number"):
                scale.from_bits(int(bits))


# The nearest float32 of doubles, ties to even, including subnormals and infinities.
def test_to_bits():
    rng = np.random.default_rng(13)
    values = np.exp(rng.uniform(-105, 92, 5000)) * rng.choice([-1, 1], 5000)
    halves = rng.integers(1 << 23, 1 << 24, 500) * 2 + 1  # between two float32
    edges = [2.0**-149, 2.0**-150, 1.5 * 2.0**-149, 2.0**-126 - 2.0**-150, 3.4028236e38, 2.0**128]
    for value in [*values.tolist(), *halves.astype(float).tolist(), *edges]:
        m, e = math.frexp(value)
        with np.errstate(over="ignore"):
            wanted = int(np.float32(value).view(np.uint32))
        assert scale.to_bits((int(m * (1 << 53)), e - 53)) == wanted, value
    assert scale.to_bits((0, 0)) == 0


@pytest.mark.parametrize(
    ("value", "result"),
    [(0.5, 1), (-0.5, -1), (0.49999997, 0), (1.5, 2), (-1.5, -2), (2.5, 3), (-2.4, -2), (0.0, 0)],
)
def test_to_int_rounds_halves_away(value, result):
    assert scale.to_int(number(value)) == result


def test_to_int_of_large_numbers():
    assert scale.to_int((3, 40)) == 3 << 40
    assert scale.to_int((-3, 2)) == -12


@pytest.mark.parametrize("bits", [0, 1, 2, 7, 8, 9, 63, 64, 200])
def test_bit_length(bits):
    assert scale.bit_length(1 << bits) == bits + 1
    assert scale.bit_length((1 << bits) - 1) == bits


def test_less():
    values = [-3.5, -1e-30, 0.0, float(_SMALLEST), 1e-30, 0.1, 0.10000001, 4.0, 1e30]
    for i, a in enumerate(values):
        for k, b in enumerate(values):
            assert scale.less(number(a), number(b)) == (i < k)


def test_division_by_zero():
    with pytest.raises(ModelError, match="a scale of the model is zero"):
        scale.divide((1, 0), (0, 0))


# Return int32 values at which arithmetic often fails, and random ones.
def int32s(seed, count):
    rng = np.random.default_rng(seed)
    edges = [0, 1, -1, 2, -2, (1 << 30), -(1 << 30), (1 << 31) - 1, -(1 << 31), 1 - (1 << 31)]
    return edges + rng.integers(-(1 << 31), 1 << 31, count).tolist()


# gemmlowp: (a * b + nudge) / 2**31, truncated towards zero.
def doubling_high_mul(a, b):
    if a == b == -(1 << 31):
        return (1 << 31) - 1
    nudge = (1 << 30) if a * b >= 0 else 1 - (1 << 30)
    product = a * b + nudge
    return product >> 31 if product >= 0 else -(-product >> 31)


# gemmlowp: a mask of the lost bits against a threshold that is one more for negative numbers.
def divide_by_pot(x, exponent):
    mask = (1 << exponent) - 1
    threshold = (mask >> 1) + (1 if x < 0 else 0)
    return (x >> exponent) + (1 if x & mask > threshold else 0)


def test_doubling_high_mul():
    values = int32s(14, 100)
    for a in values:
        for b in values:
            got = fixed_point.saturating_rounding_doubling_high_mul(a, b)
            assert got == doubling_high_mul(a, b), (a, b)


def test_divide_by_pot():
    for x in int32s(15, 300):
        for exponent in range(32):
            got = fixed_point.rounding_divide_by_pot(x, exponent)
            assert got == divide_by_pot(x, exponent), (x, exponent)


def test_multiply_by_quantized_multiplier():
    rng = np.random.default_rng(16)
    for x in int32s(17, 2000):
        multiplier = int(rng.integers(1 << 30, 1 << 31))
        shift = int(rng.integers(-31, 1))
        wanted = divide_by_pot(doubling_high_mul(x, multiplier), -shift)
        got = fixed_point.multiply_by_quantized_multiplier(x, multiplier, shift)
        assert got == wanted, (x, multiplier, shift)
        small = x >> 12
        wanted = doubling_high_mul(small << 11, multiplier)
        assert fixed_point.multiply_by_quantized_multiplier(small, multiplier, 11) == wanted


def test_left_shift_saturates():
    top, bottom = (1 << 31) - 1, -(1 << 31)
    assert fixed_point.multiply_by_quantized_multiplier(1 << 20, 1 << 30, 20) == 1 << 30
    assert fixed_point.saturating_left_shift(1 << 20, 20) == top
    assert fixed_point.saturating_left_shift(-(1 << 20), 20) == bottom
    assert fixed_point.saturating_left_shift(-3, 2) == -12
