# float32 division on bit patterns, and QUANTIZE, which divides by the scale: exact, integers only
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are those of float32.py.
import micropython
from micropython import const

from .float32 import store_rounded

# Types of quantized elements, the same in float32_convert.py.
_INT8 = const(0)
_UINT8 = const(1)
_INT16 = const(2)
_INT32 = const(3)


# dst = a / b.
#
# Long division, 7 bits of quotient at a time: with a remainder below 2**24 nothing passes 31
# bits. 29 bits and a last one that tells of a remainder are then rounded to 24.
@micropython.viper
def div(arena, rom, dst: int, a: int, b: int, n: int, steps: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    p_b = ptr32(base + (b >> 2) + gap * (b & 1))
    step_dst = (steps & 0x3FF) << 2
    step_a = (steps >> 10 & 0x3FF) << 2
    step_b = (steps >> 20 & 0x3FF) << 2
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    infinity = magnitude >> 23 << 23
    done = 0
    while done < n:
        x = p_a[0]
        y = p_b[0]
        sign = (x ^ y) >> 31 & 1
        x = x & magnitude
        y = y & magnitude
        e = x >> 23
        f = y >> 23
        special = 0
        if not e * f * (255 - e) * (255 - f):
            special = 1
            if e == 255:
                if f == 255:
                    x = infinity | 0x400000
                elif x > infinity:
                    x = x | 0x400000
            elif f == 255:
                x = infinity | 0x400000 if y > infinity else 0
            elif not y:
                x = infinity if x else infinity | 0x400000
            elif x:
                special = 0
        if special:
            p_dst[0] = sign << 31 | x
        else:
            x = x & 0x7FFFFF
            if e:
                x = x | 0x800000
            else:
                e = 1
                while not x >> 23:
                    x = x << 1
                    e -= 1
            y = y & 0x7FFFFF
            if f:
                y = y | 0x800000
            else:
                f = 1
                while not y >> 23:
                    y = y << 1
                    f -= 1
            e = e - f + 127
            if x < y:
                x = x << 1
                e -= 1
            x = x - y << 7
            digit = x // y
            quotient = 0x80 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = quotient << 7 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = quotient << 7 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = (quotient << 7 | digit) << 1
            if x - digit * y:
                quotient = quotient | 1
            if 0 < e < 254:
                quotient = quotient + 31 + (quotient >> 6 & 1) >> 6
                p_dst[0] = sign << 31 | (e - 1 << 23) + quotient
            else:
                x = step_dst << 2
                store_rounded(arena, dst + done * x, sign, e, quotient)
        p_dst = ptr32(int(p_dst) + step_dst)
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        done += 1


# dst[i] = clamp(round(a[i] / scale) + zero_point), of one of the types above: QUANTIZE.
#
# The quotient is rounded to float32, as TFLM's is, then to an integer, halves away from zero.
# What C leaves undefined is defined: past 2**31 it saturates, and a NaN becomes the zero point.
# `scale` is one positive, finite value.
@micropython.viper
def quantize(arena, rom, dst: int, a: int, n: int, scale: int, zero_point: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = base + (dst >> 2)
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    y = ptr32(base + (scale >> 2) + gap * (scale & 1))[0]
    f = y >> 23 & 0xFF
    y = y & 0x7FFFFF
    if f:
        y = y | 0x800000
    else:
        f = 1
        while not y >> 23:
            y = y << 1
            f -= 1
    high = 0x7F
    if kind == _UINT8:
        high = 0xFF
    elif kind == _INT16:
        high = 0x7FFF
    low = 0 if kind == _UINT8 else 0 - high - 1
    limit = 1
    limit = (limit << 31) - 1
    done = 0
    while done < n:
        x = p_a[done]
        sign = 0 - (x >> 31 & 1)
        e = x >> 23 & 0xFF
        x = x & 0x7FFFFF
        if e == 255:
            # A NaN counts as zero.
            e = 0 if x else 400
        elif x | e:
            if e:
                x = x | 0x800000
            else:
                e = 1
                while not x >> 23:
                    x = x << 1
                    e -= 1
            e = e - f + 127
        # Quotients below 0.25 round to 0, those from 2**31 saturate.
        if e < 125:
            x = 0
        elif e > 158:
            x = limit - sign
        else:
            if x < y:
                x = x << 1
                e -= 1
            x = x - y << 7
            digit = x // y
            quotient = 0x80 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = quotient << 7 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = quotient << 7 | digit
            x = x - digit * y << 7
            digit = x // y
            quotient = (quotient << 7 | digit) << 1
            if x - digit * y:
                quotient = quotient | 1
            x = quotient + 31 + (quotient >> 6 & 1) >> 6
            # x * 2**(e - 150); a quotient never rounds up to the next power of two.
            e = 150 - e
            if e > 0:
                x = (x >> e - 1) + 1 >> 1
            elif e > 0 - 8:
                x = x << 0 - e
            else:
                x = limit - sign
        x = (x ^ sign) - sign
        if kind == _INT32:
            # The sum saturates: a carry into the sign bit shows in both differences.
            e = x + zero_point
            if ((x ^ e) & (zero_point ^ e)) >> 31 & 1:
                e = limit if zero_point > 0 else 0 - limit - 1
            ptr32(p_dst)[done] = e
        else:
            # Past 2**24 every zero point of these types is out of sight.
            if x > 0x1000000:
                x = 0x1000000
            elif x < 0 - 0x1000000:
                x = 0 - 0x1000000
            x = x + zero_point
            if x < low:
                x = low
            elif x > high:
                x = high
            if kind == _INT16:
                ptr16(p_dst)[done] = x
            else:
                ptr8(p_dst)[done] = x
        done += 1
