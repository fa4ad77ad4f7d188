# tflm: float arithmetic of Prepare in exact integers, because boards have single precision only
# MIT license; Copyright (c) 2026 the tflm authors

from ..errors import ModelError

# A number is (m, e) and means m * 2**e. TFLM computes multipliers in C++ doubles (or floats).
# Rounding to 53 (or 24) bits, ties to even, wherever C++ does gives the same last bit here.
DOUBLE = 53
SINGLE = 24
_LOWEST = {SINGLE: -149, DOUBLE: -1074}  # exponent of the smallest number


# Return the number of bits of a non-negative integer.
def bit_length(value):
    bits = 0
    while value >> (bits + 8):
        bits += 8
    while value >> bits:
        bits += 1
    return bits


# Return the number of the bits of a float32.
def from_bits(bits):
    exponent = bits >> 23 & 0xFF
    mantissa = bits & 0x7FFFFF
    if exponent == 0xFF:
        raise ModelError("a scale of the model is infinite or not a number; quantize it again")
    if exponent:
        mantissa |= 0x800000
    else:
        exponent = 1
    return (0 - mantissa if bits >> 31 else mantissa), exponent - 150


# An integer as a number.
def from_int(value):
    return value, 0


# Round to `precision` significant bits, ties to even; tiny numbers have fewer bits (subnormals).
def rounded(number, precision):
    m, e = number
    negative = m < 0
    m = abs(m)
    drop = max(bit_length(m) - precision, _LOWEST.get(precision, e) - e)
    if drop > 0:
        half = 1 << (drop - 1)
        rest = m & ((1 << drop) - 1)
        m >>= drop
        e += drop
        if rest > half or (rest == half and m & 1):
            m += 1
        if m >> precision:  # rounded up to a power of two
            m >>= 1
            e += 1
    return (0 - m if negative else m), e


# a * b, rounded.
def multiply(a, b, precision=DOUBLE):
    return rounded((a[0] * b[0], a[1] + b[1]), precision)


# a / b, rounded. The quotient gets two more bits than needed, the last of them sticky.
def divide(a, b, precision=DOUBLE):
    if not b[0]:
        raise ModelError("a scale of the model is zero; quantize it again")
    m, d = abs(a[0]), abs(b[0])
    up = max(0, precision + 2 + bit_length(d) - bit_length(m))
    quotient = (m << up) // d
    sticky = 1 if quotient * d != m << up else 0
    quotient = quotient << 1 | sticky
    negative = (a[0] < 0) != (b[0] < 0)
    return rounded((0 - quotient if negative else quotient, a[1] - b[1] - up - 1), precision)


# Return the root of a positive number, rounded to double: 60 bits of it, bit by bit, and a last
# bit that is set if there is a remainder.
def square_root(number):
    m, e = number
    up = 119 - bit_length(m)
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
    return rounded((root << 1 | (1 if rest else 0), (e - up >> 1) - 1), DOUBLE)


# a + b, rounded.
def add(a, b, precision=DOUBLE):
    e = min(a[1], b[1])
    return rounded(((a[0] << (a[1] - e)) + (b[0] << (b[1] - e)), e), precision)


# Whether a < b.
def less(a, b):
    return add(a, (0 - b[0], b[1]), 1)[0] < 0


# The nearest integer, halves away from zero (C's round).
def to_int(number):
    m, e = number
    if e >= 0:
        return m << e
    magnitude = (abs(m) + (1 << (0 - e - 1))) >> (0 - e)
    return 0 - magnitude if m < 0 else magnitude


# Return the bits of the float32 nearest to a number.
def to_bits(number):
    m, e = rounded(number, SINGLE)
    sign = 1 << 31 if number[0] < 0 else 0
    m = abs(m)
    if not m:
        return sign
    up = min(SINGLE - bit_length(m), e - _LOWEST[SINGLE])
    m <<= up
    e -= up
    if e + 150 > 254:
        return sign | 0x7F800000
    if not m >> 23:  # subnormal
        return sign | m
    return sign | (e + 150) << 23 | m & 0x7FFFFF


# TFLM's QuantizeMultiplier (quantization_util.cc): return (multiplier with 31 bits, shift) such
# that number = multiplier / 2**31 * 2**shift. Numbers too small for any effect give (0, 0).
def quantize_multiplier(number):
    m, e = number
    if m == 0:
        return 0, 0
    magnitude = abs(m)
    bits = bit_length(magnitude)
    shift = e + bits
    fixed = to_int((magnitude, 31 - bits))
    if fixed == 1 << 31:
        fixed >>= 1
        shift += 1
    if shift < -31:
        return 0, 0
    return (0 - fixed if m < 0 else fixed), shift
