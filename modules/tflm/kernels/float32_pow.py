# float32 powers in fixed point: errors stay below 2e-7, also near the limits of float32
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py.

from .float32 import store_rounded

# 1 / ln(2) in units of 2**-45, in three parts of 15 bits and more.
_LOG_HIGH = const(47274)
_LOG_MIDDLE = const(7572)
_LOG_LOW = const(22278)

# (atanh(s) / s - 1) / s**2 / ln(2) as a polynomial in s**2, for sqrt(1/2) .. sqrt(2), and 2**f for
# |f| <= 1/2, both in units of 2**-29 (Chebyshev).
_R0 = const(258180334)
_R1 = const(154908675)
_R2 = const(110568589)
_R3 = const(90359954)
_E0 = const(536870912)
_E1 = const(372130573)
_E2 = const(128970627)
_E3 = const(29798092)
_E4 = const(5163638)
_E5 = const(719430)
_E6 = const(83052)

_SQRT_TWO = const(0xB504F3)  # a mantissa
_INFINITE = const(600)  # larger than any exponent


# dst = a to the power of b.
#
# 1. |x| = 2**k * (1 + s) / (1 - s), s by long division in 45 bits. If k is 0, s is multiplied by
#    2**zeros first, so that a power of a number close to 1 keeps its bits.
# 2. log2 |x| = k + 2 * s * p(s**2) in units of 2**-44: `whole`, and 14, 15 and 15 bits more.
# 3. Times the mantissa of y, then shifted by its exponent: `whole`, and `fraction` in units of
#    2**-29.
# 4. 2**whole * 2**fraction, the second factor by a polynomial.
@micropython.viper
def power(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_x = ptr32(base + (a >> 2) + gap * (a & 1))
    p_y = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_x = (steps >> 10 & 0x3FF) << 2
    step_y = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = 255
    infinity = infinity << 23
    one = 127
    one = one << 23
    while n:
        x = p_x[0]
        y = p_y[0]
        negative = x >> 31 & 1
        below = y >> 31 & 1
        x = x & magnitude
        y = y & magnitude
        # The exponent of y, and whether y is an odd integer, or not an integer.
        e = (y >> 23) - 127
        d = y & 0x7FFFFF | 0x800000
        odd = 0
        real = 0
        if e < 0:
            real = 1
        elif e < 24:
            odd = d >> 23 - e & 1
            if d << e & 0x7FFFFF:
                real = 1
        sign = negative & odd
        value = 0
        q = 0  # the power is rounded from this; 0: the power is `value`
        done = 1
        if not y or x == one and not negative:
            value = one
            sign = 0
        elif x > infinity or y > infinity or negative and real and x and x < infinity:
            value = infinity | 0x400000
            sign = 0
        elif not x:
            value = infinity if below else 0
        elif x == infinity:
            value = 0 if below else infinity
        else:
            done = 0
        if not done:
            k = x >> 23
            m = x & 0x7FFFFF
            if k:
                m = m | 0x800000
            else:
                k = 1
                while not m >> 23:
                    m = m << 1
                    k -= 1
            k -= 127
            if e == 128:
                e = _INFINITE
            elif e == 0 - 127:
                e = 0 - 126
                d = y
            if m > _SQRT_TWO:
                k += 1
                b = m + 0x1000000
                m -= 0x1000000
            else:
                b = m + 0x800000
                m -= 0x800000
            # `less`: the logarithm is negative; `minus`: s counts the other way than k.
            minus = m >> 31 & 1
            if minus:
                m = 0 - m
            less = minus
            zeros = 0
            if k:
                less = 0
                if k < 0:
                    less = 1
                    k = 0 - k
                    minus = minus ^ 1
            else:
                minus = 0
                while m and m << 3 < b:
                    m = m << 1
                    zeros += 1
            s1 = 0
            s2 = 0
            s3 = 0
            q = 0
            while q < 45:
                m = m << 1
                s1 = s1 << 1 | s2 >> 14 & 1
                s2 = s2 << 1 & 0x7FFF | s3 >> 14 & 1
                s3 = s3 << 1 & 0x7FFF
                if m >= b:
                    m -= b
                    s3 += 1
                q += 1
            # z = s**2 in units of 2**-30; p - 1 / ln(2) in the same units.
            z = s1 << 15 | s2
            z = z >> zeros if zeros < 30 else 0
            h = z >> 15
            m = z & 0x7FFF
            z = h * h + (h * m >> 14)
            h = z >> 15
            m = z & 0x7FFF
            q = _R3
            q = _R2 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
            q = _R1 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
            q = _R0 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
            q = h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15) << 1
            q += _LOG_MIDDLE
            h = _LOG_HIGH + (q >> 15)
            q = q & 0x7FFF
            # s * p: units of 2**-29 of the logarithm in m, and 15 bits more in z.
            z = (s1 * _LOG_LOW >> 15) + (s2 * q >> 15) + (s3 * h >> 15)
            z = s1 * q + z + (s2 * h & 0x7FFF)
            m = s1 * h + (s2 * h >> 15) + (z >> 15)
            z = z & 0x7FFF
            if minus and m | z:
                z = 0 - z & 0x7FFF
                m = (1 << 29) - m
                if z:
                    m -= 1
                k -= 1
            # Times d, in units of 2**-29: the whole part in `whole`.
            h = d >> 12
            q = d & 0xFFF
            z = h * z + (q * z >> 12) >> 3
            z += q * (m & 0x7FFF)
            b = h * (m & 0x7FFF) + (z >> 12)
            fraction = (b & 7) << 12 | z & 0xFFF
            z = q * (m >> 15) + (b >> 3)
            b = h * (m >> 15) + (z >> 12)
            fraction = ((b & 3) << 12 | z & 0xFFF) << 15 | fraction
            z = k * q + (b >> 2)
            high = k * h + (z >> 12)
            z = z & 0xFFF
            # Shifted by the exponent of y; `high` has 12 bits of the whole part less.
            zeros += 23 - e
            if zeros > 70:
                zeros = 70
            while zeros > 0:
                fraction = (z & 1) << 28 | fraction >> 1
                z = (high & 1) << 11 | z >> 1
                high = high >> 1
                zeros -= 1
            whole = high << 12 | z if high < 256 else 1 << 20
            while zeros < 0 and whole < 256 and whole | fraction:
                whole = whole << 1 | fraction >> 28
                fraction = fraction << 1 & 0x1FFFFFFF
                zeros += 1
            if whole > 255:
                value = 0 if less ^ below else infinity
                q = 0
            else:
                if less ^ below:
                    whole = 0 - whole
                    fraction = 0 - fraction
                if fraction >= 1 << 28:
                    whole += 1
                    fraction -= 1 << 29
                elif fraction < 0 - (1 << 28):
                    whole -= 1
                    fraction += 1 << 29
                fraction = fraction << 1
                h = fraction >> 15
                m = fraction & 0x7FFF
                q = _E6
                q = _E5 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _E4 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _E3 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _E2 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _E1 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _E0 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                e = whole + 127
        if q:
            store_rounded(arena, dst, sign, e, q)
        else:
            p_dst[0] = sign << 31 | value
        dst += step_dst << 2
        p_dst = ptr32(int(p_dst) + step_dst)
        p_x = ptr32(int(p_x) + step_x)
        p_y = ptr32(int(p_y) + step_y)
        n -= 1
