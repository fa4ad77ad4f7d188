# float32 natural logarithm in fixed point: errors stay below 0.7 unit in the last place
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py; dst may be a.

# log(1 + f) / f for |f| <= 1/3 as a polynomial in f, in units of 2**-29 (Chebyshev).
_C0 = const(536870912)
_C1 = const(-268435467)
_C2 = const(178956981)
_C3 = const(-134215813)
_C4 = const(107372409)
_C5 = const(-89573831)
_C6 = const(76784106)
_C7 = const(-65195672)
_C8 = const(57881733)
_C9 = const(-69997435)
_C10 = const(63892371)

# ln(2) in units of 2**-31, in two halves.
_LN2_HIGH = const(0x58B9)
_LN2_LOW = const(0x0BFC)

_FOUR_THIRDS = const(0xAAAAAB)  # a mantissa


# dst = the natural logarithm of a; minus infinity for zeros, a NaN for negative numbers.
#
# 1. The argument is 2**k * (1 + f) with -1/3 <= f < 1/3; f is exact in units of 2**-31.
# 2. q = log(1 + f) / f by Horner's rule in units of 2**-29; products are of halves of 15 bits.
# 3. If k is 0 the result is f * q, with f made 24 bits long so that the result keeps all its bits.
#    Else it is k * ln(2) + f * q, at least 0.28, in the finest units that fit a word.
@micropython.viper
def log(arena, rom, dst: int, a: int, n: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    infinity = 255
    infinity = infinity << 23
    done = 0
    while done < n:
        x = p_a[done]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        m = x & 0x7FFFFF
        y = 0
        if e == 255:
            y = infinity
            if m or sign:
                y = infinity | 0x400000
        elif not e | m:
            sign = 1
            y = sign << 31 | infinity
        elif sign:
            y = infinity | 0x400000
        if y:
            p_dst[done] = y
        else:
            if e:
                m = m | 0x800000
            else:
                e = 1
                while not m >> 23:
                    m = m << 1
                    e -= 1
            k = e - 127
            if m < _FOUR_THIRDS:
                r = m - 0x800000 << 8
            else:
                r = m - 0x1000000 << 7
                k += 1
            h = r >> 15
            x = r & 0x7FFF
            q = _C10
            q = _C9 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C8 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C7 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C6 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C5 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C4 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C3 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C2 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C1 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            q = _C0 + (h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1)
            e = 127
            if k:
                y = h * (q >> 15) + (h * (q & 0x7FFF) + x * (q >> 15) >> 15) >> 1
                # Units of 2**(shift - 31).
                m = k if k > 0 else 0 - k
                shift = 2
                while m >> shift - 1:
                    shift += 1
                y = (y >> shift - 2) + (k * _LN2_HIGH << 16 - shift) + (k * _LN2_LOW >> shift)
                e += shift - 2
                sign = y >> 31 & 1
                y = (y ^ 0 - sign) + sign
            elif r:
                sign = r >> 31 & 1
                r = (r ^ 0 - sign) + sign >> 7
                while not r >> 23:
                    r = r << 1
                    e -= 1
                h = r >> 9
                x = r & 0x1FF
                y = h * (q >> 15) + (h * (q & 0x7FFF) + (x * (q >> 15) << 6) >> 15)
            if y:
                while not y >> 29:
                    y = y << 1
                    e -= 1
                y = (e - 1 << 23) + (y + 31 + (y >> 6 & 1) >> 6)
            p_dst[done] = sign << 31 | y
        done += 1
