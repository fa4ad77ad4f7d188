# float32 square root on bit patterns: exact, integers only
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py; dst may be a.


# dst = the square root of a; a NaN for negative numbers, and -0.0 for -0.0.
#
# The mantissa is x * 2**26 with x of 25 or 26 bits, so that the root has 26 bits. Its upper half
# is the root of x, bit by bit. The lower half is the remainder divided by twice the upper half,
# minus one if its square is too large. No 24-bit mantissa has a root half way between two others,
# so that the two last bits decide the rounding.
@micropython.viper
def sqrt(arena, rom, dst: int, a: int, n: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    infinity = 255
    infinity = infinity << 23
    done = 0
    while done < n:
        x = p_a[done]
        e = x >> 23 & 0xFF
        if not e | x & 0x7FFFFF:
            # A zero is its own root.
            p_dst[done] = x
        elif e == 255 and (x & 0x7FFFFF or not x >> 31 & 1):
            p_dst[done] = x | 0x400000 if x & 0x7FFFFF else x
        elif x >> 31 & 1:
            p_dst[done] = infinity | 0x400000
        else:
            x = x & 0x7FFFFF
            if e:
                x = x | 0x800000
            else:
                e = 1
                while not x >> 23:
                    x = x << 1
                    e -= 1
            # Make the exponent even.
            x = x << 2 - (e & 1)
            e = (e + 1 >> 1) + 62
            root = 0
            bit = 0x1000000
            while bit:
                if x >= root + bit:
                    x = x - root - bit
                    root = (root >> 1) + bit
                else:
                    root = root >> 1
                bit = bit >> 2
            x = x << 13
            bit = root << 1
            low = x // bit
            x = (x - low * bit << 13) - low * low
            root = (root << 13) + low
            if x < 0:
                root -= 1
            p_dst[done] = (e << 23) + (root + 2 >> 2)
        done += 1
