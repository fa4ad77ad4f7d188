# float32 angles of points in fixed point: errors stay below 0.7 unit in the last place
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py.

from .float32 import store_rounded

# atan(t) / t as a polynomial in t**2 for t <= tan(pi / 8), in units of 2**-29 (Chebyshev).
_C0 = const(536870912)
_C1 = const(-178956964)
_C2 = const(107373570)
_C3 = const(-76673959)
_C4 = const(59276111)
_C5 = const(-45413944)
_C6 = const(25301540)

# pi / 4 and pi / 2 in units of 2**-29.
_QUARTER = const(421657428)
_HALF = const(843314857)

_INFINITE = const(600)  # larger than any exponent


# dst = the angle of the point (b, a).
#
# 1. t = smaller / larger, of the magnitudes. Above tan(pi / 8) its angle is pi / 4 less the angle
# of
#    (larger - smaller) / (larger + smaller). Long division gives 30 bits q, t = q * 2**(e - 29).
# 2. The polynomial p in t**2 by Horner's rule; products are of halves of 15 bits. The angle is
#    q * p, which keeps all bits of small angles.
# 3. All other angles are differences to pi / 4, pi / 2 or pi in fixed point.
@micropython.viper
def atan2(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_y = ptr32(base + (a >> 2) + gap * (a & 1))
    p_x = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_y = (steps >> 10 & 0x3FF) << 2
    step_x = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = 255
    infinity = infinity << 23
    while n:
        y = p_y[0]
        x = p_x[0]
        sign = y >> 31 & 1
        left = x >> 31 & 1
        y = y & magnitude
        x = x & magnitude
        if y > infinity or x > infinity:
            p_dst[0] = infinity | 0x400000
        else:
            up = 0
            if y > x:
                up = y
                y = x
                x = up
            # Exponents and mantissas of the smaller magnitude, y, and the larger one.
            e = y >> 23
            m = y & 0x7FFFFF
            if e == 255:
                e = _INFINITE
            if e:
                m = m | 0x800000
            elif m:
                e = 1
                while not m >> 23:
                    m = m << 1
                    e -= 1
            k = x >> 23
            d = x & 0x7FFFFF
            if k == 255:
                k = _INFINITE
            if k:
                d = d | 0x800000
            elif d:
                k = 1
                while not d >> 23:
                    d = d << 1
                    k -= 1
            e -= k
            slope = 0
            # 53 / 128 is a little less than tan(pi / 8).
            if m and e > 0 - 3 and m << 2 + e > (d >> 5) * 53:
                slope = 1
                m = m << 2 + e
                d = d << 2
                k = d + m
                m = d - m
                d = k
                e = 0
                while m and m < d:
                    m = m << 1
                    e -= 1
            elif m < d:
                m = m << 1
                e -= 1
            q = 0
            k = 30
            while m and k:
                q = q << 1
                if m >= d:
                    m -= d
                    q += 1
                m = m << 1
                k -= 1
            q = q << k
            if not q:
                e = 0 - 40
            # t in units of 2**-30, and its square z.
            z = 0
            if e > 0 - 30:
                z = q >> 0 - e - 1
                k = z & 0x7FFF
                z = z >> 15
                z = z * z + (z * k >> 14)
            h = z >> 15
            m = z & 0x7FFF
            p = _C6
            p = _C5 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            p = _C4 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            p = _C3 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            p = _C2 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            p = _C1 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            p = _C0 + h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            h = q >> 15
            m = q & 0x7FFF
            y = h * (p >> 15) + (h * (p & 0x7FFF) + m * (p >> 15) >> 15)
            # The angle is y * 2**(e - 28).
            e += 128
            if slope or up or left:
                e = 127 - e
                y = y >> e if e < 30 else 0
                e = 127
                if slope:
                    y = _QUARTER - y
                if up:
                    y = _HALF - y
                if left:
                    y = _HALF - y + _HALF
            while y >> 30:
                y = y >> 1 | y & 1
                e += 1
            if y:
                store_rounded(arena, dst, sign, e, y)
            else:
                p_dst[0] = sign << 31
        dst += step_dst << 2
        p_dst = ptr32(int(p_dst) + step_dst)
        p_y = ptr32(int(p_y) + step_y)
        p_x = ptr32(int(p_x) + step_x)
        n -= 1
