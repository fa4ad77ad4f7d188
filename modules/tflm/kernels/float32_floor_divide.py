# float32 floor(a / b) and its remainder on bit patterns, as in TFLM: integers only
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py.

from .float32 import combine, store_rounded

_ADD = const(2)  # of float32.combine


# dst = floor(a / b), with the quotient in double as in TFLM. With `modulo`, dst = fmod(a, b), plus
# b if their signs differ. Division by zero gives a NaN and returns 1.
#
# Long division of the mantissas down to the unit, up to 6 bits at a time: with a remainder below
# 2**24 nothing exceeds 31 bits. The remainder is fmod(a, b).
#
# `quotient` collects digits while it is below 2**24. Of the later digits, `dropped` bits, only two
# facts are kept: whether one is set (`sticky`) and whether all are set (`full`). This is enough to
# round the quotient to 24 bits, also after 1 is added. From 2**29 on the quotient in double may be
# whole although the exact quotient is not: the remainder counts as 0, or as 1, if it is within
# half a unit of 53 bits.
@micropython.viper
def divide(arena, rom, dst: int, a: int, b: int, n: int, steps: int, modulo: int) -> int:
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
    failed = 0
    done = 0
    while done < n:
        x = p_a[0]
        y = p_b[0]
        sign = x >> 31 & 1
        opposite = (x ^ y) >> 31 & 1
        x = x & magnitude
        y = y & magnitude
        # Answers without a division: `known` is 1, or 2 if the remainder is all of a.
        known = 1
        value = infinity | 0x400000
        if not y:
            failed = 1
        elif x > infinity or y > infinity:
            pass
        elif x == infinity:
            if not modulo and y < infinity:
                value = opposite << 31 | infinity
        elif modulo and x < y:
            value = sign << 31 | x
            known = 2 if x else 1
        elif x < y:
            value = opposite << 31 | (127 << 23 if opposite and x and y < infinity else 0)
        else:
            known = 0
        here = dst + done * (step_dst << 2)
        if known:
            p_dst[0] = value
        else:
            e = x >> 23
            x = x & 0x7FFFFF
            if e:
                x = x | 0x800000
            else:
                e = 1
                while not x >> 23:
                    x = x << 1
                    e -= 1
            f = y >> 23
            y = y & 0x7FFFFF
            if f:
                y = y | 0x800000
            else:
                f = 1
                while not y >> 23:
                    y = y << 1
                    f -= 1
            quotient = 0
            if x >= y:
                x = x - y
                quotient = 1
            left = e - f
            # Bits of the quotient after the first one, for the rounding of double.
            e = left - 1 + quotient
            dropped = 0
            sticky = 0
            full = 1
            while left:
                bits = left if left < 6 else 6
                left -= bits
                x = x << bits
                digit = x // y
                x = x - digit * y
                if quotient >> 24:
                    dropped += bits
                    if digit:
                        sticky = 1
                    if digit != (1 << bits) - 1:
                        full = 0
                else:
                    quotient = quotient << bits | digit
            if modulo:
                p_dst[0] = sign << 31
                known = 1
                if x:
                    # The remainder with the exponent of b, exact.
                    store_rounded(arena, here, sign, f + 6, x)
                    known = 2
            else:
                up = opposite if x else 0
                if e > 52:
                    up = 0
                    if x:
                        sticky = 1
                elif e > 28 and x:
                    if y - x <= y - 1 >> 53 - e:
                        up = 1
                    elif x <= y - 1 >> 53 - e:
                        up = 0
                if up:
                    sticky = full ^ 1
                    quotient += full
                if quotient >> 28:
                    sticky = quotient & 1 | sticky
                    store_rounded(arena, here, opposite, 157 + dropped, quotient >> 1 | sticky)
                else:
                    store_rounded(arena, here, opposite, 155 + dropped, quotient << 1 | sticky)
        if known == 2 and opposite:
            combine(arena, rom, here, here, b + done * (step_b << 2), 1, 0, _ADD)
        p_dst = ptr32(int(p_dst) + step_dst)
        p_a = ptr32(int(p_a) + step_a)
        p_b = ptr32(int(p_b) + step_b)
        done += 1
    return failed
