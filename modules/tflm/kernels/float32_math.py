# float32 exp, logistic, tanh and ELU in fixed point: errors stay below 0.7 unit in the last place
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py; dst may be a.

from .float32 import store_rounded
from .machine_code import use_machine_code

_EXP = const(0)
_LOGISTIC = const(1)
_TANH = const(2)
_ELU = const(3)

# (exp(r) - 1) / r for |r| < 0.351 as a polynomial in r, in units of 2**-29 (Chebyshev).
_C0 = const(536870912)
_C1 = const(268435459)
_C2 = const(89478486)
_C3 = const(22369444)
_C4 = const(4473905)
_C5 = const(748533)
_C6 = const(106842)

# log2(e) in units of 2**-12; ln(2) in units of 2**-31 is 0x58B90BFC, kept in halves of 16 bits.
_LOG2_E = const(5909)
_LN2_HIGH = const(0x58B9)
_LN2_LOW = const(0x0BFC)

# Above 16.619047 TFLM's logistic is 1; below -9 it is exp(x), as if 1 + exp(x) were 1.
_UPPER_MANTISSA = const(0x84F3CF)
_LOWER_MANTISSA = const(0x900000)


# dst = exp(a).
@micropython.viper
def exp(arena, rom, dst, a, n):
    exponential(arena, rom, dst, a, n, _EXP)


# dst = 1 / (1 + exp(-a)), with TFLM's two limits.
@micropython.viper
def logistic(arena, rom, dst, a, n):
    exponential(arena, rom, dst, a, n, _LOGISTIC)


# dst = tanh(a).
@micropython.viper
def tanh(arena, rom, dst, a, n):
    exponential(arena, rom, dst, a, n, _TANH)


# dst = a, or exp(a) - 1 where a is negative.
@micropython.viper
def elu(arena, rom, dst, a, n):
    exponential(arena, rom, dst, a, n, _ELU)


# All four functions compute one exponential, of x, -|x| or -2|x|.
#
# 1. The argument is k * ln(2) + r with |r| < 0.351. Because r is small, it is computed modulo
# 2**32
#    in units of 2**-31: the integer part of the argument cancels.
# 2. q = (exp(r) - 1) / r by Horner's rule; exp(r) = 1 + r * q. Units are 2**-29, products are of
#    halves of 15 bits.
# 3. exp:      2**k * exp(r).
#    logistic: 1 / (1 + E) for positive x, E / (1 + E) for negative, E = 2**k * exp(r) <= 1.
#    tanh:     (1 - E) / (1 + E); if k is 0, 1 - E is 2|x| * q, which keeps all its bits.
#    ELU:      1 - E without the denominator, of |x|.
#    Each of three divisions by the denominator's upper 16 bits, rounded up, gives 12 bits of the
#    quotient; the remainders fit in 31 bits, so that they are also exact modulo 2**32.
@micropython.viper
def exponential(arena, rom, dst: int, a: int, n: int, kind: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    infinity = 255
    infinity = infinity << 23
    ln2 = _LN2_HIGH
    ln2 = ln2 << 16 | _LN2_LOW
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    done = 0
    while done < n:
        x = p_a[done]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        m = x & 0x7FFFFF | 0x800000
        # Answers that need no exponential: a NaN, large magnitudes, and values close to zero.
        y = 0
        plain = 1
        if e == 255 and x & 0x7FFFFF:
            y = x | 0x400000
        elif kind == _TANH:
            if e < 114:
                y = x
            elif e > 131:
                y = sign << 31 | 127 << 23
            else:
                plain = 0
        elif kind == _ELU:
            if not sign or e < 102:
                y = x
            elif e > 131:
                y = sign << 31 | 127 << 23
            else:
                plain = 0
        elif e < 102:
            y = 127 - kind << 23
        elif e > 133:
            if not sign:
                y = infinity if kind == _EXP else 127 << 23
        else:
            plain = 0
        # exp(x) alone: also TFLM's logistic below its lower cut-off.
        alone = 0
        if kind == _EXP:
            alone = 1
        elif kind == _LOGISTIC:
            if sign:
                if e > 130 or e == 130 and m > _LOWER_MANTISSA:
                    alone = 1
            elif not plain and (e > 131 or e == 131 and m > _UPPER_MANTISSA):
                y = 127 << 23
                plain = 1
        if plain:
            p_dst[done] = y
        else:
            if kind == _TANH:
                e += 1
            k = 0
            if e > 118:
                k = (m >> 140 - e) * _LOG2_E + 0x200000 >> 22
                r = (m << e - 119) - k * ln2
            else:
                r = (m >> 118 - e) + 1 >> 1
            if sign or kind != _EXP:
                r = 0 - r
                k = 0 - k
            r = (r & magnitude) - ((r >> 31 & 1) << 31)
            h = r >> 15
            r = r & 0x7FFF
            q = _C6
            q = _C5 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            q = _C4 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            q = _C3 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            q = _C2 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            q = _C1 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            q = _C0 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            y = _C0 + (h * (q >> 15) + (h * (q & 0x7FFF) + r * (q >> 15) >> 15) >> 1)
            if alone:
                e = 127 + k
                if not y >> 29:
                    y = y << 1
                    e -= 1
            else:
                # Numerator x and denominator r, both at most 2.
                r = 0 - k if k > 0 - 30 else 30
                r = y >> r
                x = _C0
                if kind == _LOGISTIC:
                    e = 127
                    if sign:
                        x = y
                        e = 127 + k
                elif k:
                    x = x - r
                    e = 127
                else:
                    h = m >> 9
                    m = m & 0x1FF
                    x = h * (q >> 15) + (h * (q & 0x7FFF) + (m * (q >> 15) << 6) >> 15)
                    e += 1
                if kind == _ELU:
                    while not x >> 29:
                        x = x << 1
                        e -= 1
                    y = x
                else:
                    r = r + _C0
                    while x < r:
                        x = x << 1
                        e -= 1
                    m = (r >> 14) + 1
                    q = (x >> 2) // m
                    x = (x << 12) - q * r
                    y = q << 12
                    q = (x >> 2) // m
                    x = (x << 12) - q * r
                    y = (y + q << 5) + ((x >> 2) // m >> 7) | 1
            sign = sign if kind >= _TANH else 0
            if 0 < e < 254:
                p_dst[done] = sign << 31 | (e - 1 << 23) + (y + 31 + (y >> 6 & 1) >> 6)
            else:
                store_rounded(arena, dst + (done << 4), sign, e, y)
        done += 1


use_machine_code(globals(), "float32_math")
