# float32 sine and cosine of any argument: errors stay below 0.7 unit in the last place
# MIT license; Copyright (c) 2026 the tflm authors
#
# Computed in fixed point. Operand words are explained in float32.py; dst may be a.

# 2 / pi: 192 bits of its fraction after 40 zeros.
_TWO_OVER_PI = (
    b"\x00\x00\x00\x00\x00\xa2\xf9\x83\x6e\x4e\x44\x15\x29\xfc\x27\x57"
    b"\xd1\xf5\x34\xdd\xc0\xdb\x62\x95\x99\x3c\x43\x90\x41"
)
_START = const(112)  # exponent whose first digit is at the start of _TWO_OVER_PI

# pi / 2 in units of 2**-29, in two parts.
_HALF_PI_HIGH = const(0x6487)
_HALF_PI_LOW = const(0x76A8)

# sin(a) / a and cos(a) for |a| <= pi / 4 as polynomials in a**2, in units of 2**-29 (Chebyshev).
_S0 = const(536870912)
_S1 = const(-89478485)
_S2 = const(4473922)
_S3 = const(-106511)
_S4 = const(1459)
_C0 = const(536870912)
_C1 = const(-268435454)
_C2 = const(22369594)
_C3 = const(-745532)
_C4 = const(13089)


# dst = sin(a + quarters * pi / 2): the sine, or with 1 the cosine; a NaN for infinities.
#
# 1. y = |a| * 2 / pi modulo 4, with 58 bits of fraction for any exponent (Payne and Hanek): the
#    mantissa, two digits of 12 bits, times the seven digits of 2 / pi that matter. The digits
#    before these count whole turns only; the digits after these change at most the last bit. y is
#    stored in two words of 30 bits. No float32 is so close to a multiple of pi / 2 that leading
#    zeros leave fewer than 27 bits.
# 2. The nearest whole number of quarters chooses sine or cosine of the rest, and the sign.
# 3. The angle r is the rest times pi / 2, 30 bits, then shifted right by `zeros`; t is its square.
#    The polynomial q in t by Horner's rule in units of 2**-29; products are of halves of 15 bits.
#    The sine is r * q, the cosine q.
@micropython.viper
def sine(arena, rom, dst: int, a: int, n: int, quarters: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    bits = ptr8(_TWO_OVER_PI)
    infinity = 255
    infinity = infinity << 23
    done = 0
    while done < n:
        x = p_a[done]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        if e == 255:
            p_dst[done] = infinity | 0x400000
        elif e < 115:
            # Below 2**-12 the sine is the angle, the cosine 1.0.
            p_dst[done] = 127 << 23 if quarters else x
        else:
            r = x >> 12 & 0x7FF | 0x800
            m = x & 0xFFF
            # Digits from the last one up; `below` is the previous one.
            at = e - _START + 72
            below = 0
            carry = 0
            high = 0
            low = 0
            k = 0
            while k < 7:
                i = at >> 3
                q = (bits[i] << 16 | bits[i + 1] << 8 | bits[i + 2]) >> 12 - (at & 7) & 0xFFF
                if k:
                    carry = m * q + r * below + carry
                    low = (high & 0xFFF) << 18 | low >> 12
                    high = (carry & 0xFFF) << 18 | high >> 12
                    carry = carry >> 12
                below = q
                at -= 12
                k += 1
            k = (high >> 28) + quarters
            high = high & 0xFFFFFFF
            sign = 0 if quarters else sign
            flip = 0
            if high >> 27:
                k += 1
                flip = 1
                high = high ^ 0xFFFFFFF
                low = low ^ 0x3FFFFFFF
            sign = sign ^ (k >> 1 & 1)
            # In units of 2**-31 a rest below 1/2 has 30 bits.
            high = high << 3 | low >> 27
            low = low << 3 & 0x3FFFFFFF
            zeros = 0
            while not high >> 29:
                high = high << 1 | low >> 29
                low = low << 1 & 0x3FFFFFFF
                zeros += 1
            h = high >> 15
            m = high & 0x7FFF
            r = h * _HALF_PI_HIGH + (h * _HALF_PI_LOW + m * _HALF_PI_HIGH >> 15)
            m = r >> zeros
            h = m >> 15
            m = m & 0x7FFF
            m = h * h + (h * m >> 14)
            h = m >> 15
            m = m & 0x7FFF
            if k & 1:
                q = _C4
                q = _C3 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _C2 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _C1 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                y = _C0 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                e = 127
            else:
                q = _S4
                q = _S3 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _S2 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _S1 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                q = _S0 + h * (q >> 15) + (h * (q & 0x7FFF) + m * (q >> 15) >> 15)
                h = r >> 15
                m = r & 0x7FFF
                y = (h * (q >> 15) << 1) + (h * (q & 0x7FFF) + m * (q >> 15) >> 14)
                e = 126 - zeros
                sign = sign ^ flip
            while not y >> 29:
                y = y << 1
                e -= 1
            p_dst[done] = sign << 31 | (e - 1 << 23) + (y + 31 + (y >> 6 & 1) >> 6)
        done += 1
