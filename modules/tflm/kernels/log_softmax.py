# tflm: LOG_SOFTMAX, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check softmax; order place

from .fixed_point import multiply

_INPUT = const(1)
_OUTPUT = const(2)
_WORDS = const(3)
_DEPTH = const(4)
_MULTIPLIER = const(5)
_SHIFT = const(6)
_LARGEST_DIFFERENCE = const(7)
_REVERSE_SHIFT = const(8)
_TABLE = const(9)  # the constants below
_EXPS = const(19)  # exp(-difference) with 19 fractional bits

# Words of scratch: constants, then variables.
_LN_2 = const(0)
_ROOT_HALF = const(1)
_ROOT_ROOT_HALF = const(2)
_ALPHA_N = const(3)
_ALPHA_D = const(4)
_ALPHA_I = const(5)
_ALPHA_F = const(6)
_NEWTON_START = const(7)
_NEWTON_SLOPE = const(8)
_REVERSE_MULTIPLIER = const(9)
_CONSTANTS = const(10)  # number of constants
_SUM = const(10)  # the sum, then its logarithm
_R = const(11)
_Q = const(12)
_Q2 = const(13)
_P = const(14)
_NUMERATOR = const(15)
_DENOMINATOR = const(16)
_X = const(17)
_TEMPORARY = const(18)
_POWER = const(19)


# Units are rows: the largest value, the sum of exp(x - largest), its logarithm, then each
# difference less the logarithm. Differences that exceed the range of 26 fractional bits give -128.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    depth = r[_DEPTH]
    largest = r[_LARGEST_DIFFERENCE]
    words = r[_WORDS] >> 2
    p = ptr32(base + words)
    i = 0
    while i < _CONSTANTS:
        p[i] = r[_TABLE + i]
        i += 1
    word = r[_INPUT]
    x = ptr8((int(ptr8(rom)) if word & 1 else base) + (word >> 2) + start * depth)
    z = ptr8(base + (r[_OUTPUT] >> 2) + start * depth)
    low = r[_MULTIPLIER] & 0xFFFF
    high = r[_MULTIPLIER] >> 16
    while start < stop:
        top = 0
        i = 0
        while i < depth:
            v = x[i] ^ 0x80
            if v > top:
                top = v
            i += 1
        total = 0
        i = 0
        while i < depth:
            v = top - (x[i] ^ 0x80)
            if v <= largest:
                total += r[_EXPS + v]
            i += 1
        p[_SUM] = total
        _logarithm(arena, words)
        total = (p[_SUM] << sign) >> sign
        # The lowest number of 26 fractional bits, converted to a difference of inputs.
        v = 1
        p[_TEMPORARY] = total - (v << 31)
        multiply(arena, words, _TEMPORARY, _TEMPORARY, _REVERSE_MULTIPLIER)
        v = (p[_TEMPORARY] << sign) >> sign
        e = r[_REVERSE_SHIFT]
        if e:
            v = ((v >> 31) + v >> e - 1) + 1 >> 1
        limit = largest + 1
        if v + limit > 0:
            limit = 0 - v
        i = 0
        while i < depth:
            v = top - (x[i] ^ 0x80)
            if v < limit:
                v = 0 - (v << r[_SHIFT])
                k = v >> 16
                v = v & 0xFFFF
                a = v * high
                b = k * low + (v * low >> 16 & 0xFFFF)
                v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (k * high << 1) - total
                v = (((v >> 31) + v >> 21) + 1 >> 1) + 127
                z[i] = v if v > 0 - 128 else 0 - 128
            else:
                z[i] = 0x80
            i += 1
        x = ptr8(int(x) + depth)
        z = ptr8(int(z) + depth)
        start += 1


# The sum, at least 1 with 19 fractional bits, becomes its logarithm with 26: TFLM's
# log_x_for_x_greater_than_or_equal_to_1.
#
# 1. The sum is r * 2**power, r in sqrt(1/2) .. 1. The power is a multiple of 1/2, less 1/4: the
#    larger of the powers of the sum and of the sum times sqrt(1/2).
# 2. With s = sqrt(sqrt(1/2)), p = (r + s) / 2 and q = 2 (r - s), the logarithm of r / s is
#    (q r + q**3 a_n) / (1 + p (a_i + q + q**2 a_d) + a_f q).
# 3. 1 / (1 + x) is Newton's division, as in prepare/fixed_point.py.
@micropython.viper
def _logarithm(arena, words):
    sign = 0x20000000
    sign = sign << 3 >> 27
    p = ptr32(int(ptr8(arena)) + int(words))
    limit = 1
    limit = (limit << 31) - 1
    total = p[_SUM]
    v = total
    n = 0
    while not v >> 30:
        v = v << 1
        n += 1
    p[_TEMPORARY] = v
    multiply(arena, words, _TEMPORARY, _TEMPORARY, _ROOT_HALF)
    v = p[_TEMPORARY]
    r = limit if v >> 30 else v << 1
    power = (11 - n << 25) + 0x800000
    multiply(arena, words, _TEMPORARY, _SUM, _ROOT_HALF)
    v = p[_TEMPORARY]
    n = 0
    while not v >> 30:
        v = v << 1
        n += 1
    v = limit if total > limit >> n else total << n
    if v < r:
        r = v
    v = (12 - n << 25) - 0x800000
    if v > power:
        power = v
    p[_POWER] = power
    p[_R] = r
    v = p[_ROOT_ROOT_HALF]
    p[_P] = (r >> 1) + (v >> 1) + ((r & 1) + (v & 1) + 1 >> 1)
    p[_Q] = r - v << 1
    multiply(arena, words, _Q2, _Q, _Q)
    multiply(arena, words, _TEMPORARY, _Q, _Q2)
    multiply(arena, words, _TEMPORARY, _TEMPORARY, _ALPHA_N)
    multiply(arena, words, _NUMERATOR, _Q, _R)
    p[_NUMERATOR] = p[_NUMERATOR] + p[_TEMPORARY]
    multiply(arena, words, _TEMPORARY, _ALPHA_D, _Q2)
    p[_TEMPORARY] = p[_ALPHA_I] + p[_Q] + p[_TEMPORARY]
    multiply(arena, words, _DENOMINATOR, _P, _TEMPORARY)
    multiply(arena, words, _TEMPORARY, _ALPHA_F, _Q)
    v = (p[_DENOMINATOR] + p[_TEMPORARY] << sign) >> sign
    p[_DENOMINATOR] = (v >> 1) + 0x20000000 + 0x20000000
    multiply(arena, words, _X, _DENOMINATOR, _NEWTON_SLOPE)
    p[_X] = p[_X] + p[_NEWTON_START]
    n = 3
    while n:
        multiply(arena, words, _TEMPORARY, _DENOMINATOR, _X)
        p[_TEMPORARY] = 0x20000000 - p[_TEMPORARY]
        multiply(arena, words, _TEMPORARY, _X, _TEMPORARY)
        p[_X] = p[_X] + (p[_TEMPORARY] << 2)
        n -= 1
    v = p[_X]
    p[_X] = limit if v >> 30 else v << 1
    v = (p[_NUMERATOR] << sign) >> sign
    p[_NUMERATOR] = ((v >> 31) + v >> 5) + 1 >> 1
    multiply(arena, words, _NUMERATOR, _NUMERATOR, _X)
    multiply(arena, words, _POWER, _POWER, _LN_2)
    p[_SUM] = p[_POWER] + p[_NUMERATOR] << 1
