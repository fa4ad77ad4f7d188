# float32 division on bit patterns: exact, integers only
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words and steps are explained in float32.py.

from .float32 import store_rounded
from .machine_code import use_machine_code


# dst = a / b.
#
# Long division, 7 bits of the quotient at a time: with a remainder below 2**24 nothing exceeds 31
# bits. 29 bits and a last bit that is set if there is a remainder are then rounded to 24.
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


use_machine_code(globals(), "float32")
