# float32 rounded to whole numbers on bit patterns: floor, ceil, and to the nearest: exact
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py; dst may be a.

# Directions of `whole`.
_FLOOR = const(0)
_CEIL = const(1)
_NEAREST = const(2)  # halves to even


# dst = a, rounded in one of the directions above.
#
# The fraction bits are added up to the next integer if that is the answer, and cleared; the carry
# into the exponent is correct by itself. Results of a magnitude below 1 are chosen: TFLM's nearest
# integer is floor(x) or floor(x) + 1, so that its zeros are positive for negative numbers, while
# floor and ceil keep the sign.
@micropython.viper
def whole(arena, rom, dst: int, a: int, n: int, direction: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    one = 127
    one = one << 23
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    done = 0
    while done < n:
        x = p_a[done]
        e = (x >> 23 & 0xFF) - 127
        sign = x >> 31 & 1
        x = x & magnitude
        # Rounding away from zero?
        away = sign
        if direction == _CEIL:
            away = sign ^ 1
        if e < 0:
            if direction == _NEAREST:
                # Above one half; one half itself becomes zero.
                if e + 1 or not x & 0x7FFFFF:
                    away = 0
                    if x:
                        sign = 0
                else:
                    away = 1
            elif not x:
                away = 0
            x = one if away else 0
        elif e < 23:
            unit = 0x800000 >> e
            if direction == _NEAREST:
                # Half a unit, less the smallest step if the integer is even. From 1.0 to 2.0 that
                # bit is the last one of the exponent, and set.
                x = x + (unit >> 1) - (0 if x & unit else 1)
            elif away:
                x = x + unit - 1
            x = x ^ (x & unit - 1)
        elif e == 128 and x & 0x7FFFFF:
            x = x | 0x400000
        p_dst[done] = sign << 31 | x
        done += 1
