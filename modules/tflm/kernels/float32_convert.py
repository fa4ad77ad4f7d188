# Integers to float32 and back on bit patterns: DEQUANTIZE's and CAST's conversions
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are those of float32.py.
import micropython
from micropython import const

from .float32 import store_rounded

# Types of integer elements, the first four the same in float32_divide.py.
_INT8 = const(0)
_UINT8 = const(1)
_INT16 = const(2)
_INT32 = const(3)
_UINT32 = const(4)


# dst = float(a - zero_point), next to each other; int32 and uint32 round to nearest even.
#
# DEQUANTIZE is this, then `mul` by the scale: TFLM multiplies in double and rounds once, and so
# does `mul`, as differences of 8 and 16-bit integers are exact. 32-bit types take no zero point.
@micropython.viper
def from_int(arena, rom, dst: int, a: int, n: int, zero_point: int, kind: int):
    base = int(ptr8(arena))
    p_dst = ptr32(base + (dst >> 2))
    p_a = base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1)
    done = 0
    while done < n:
        if kind >= _INT32:
            x = ptr32(p_a)[done]
            sign = x >> 31 & 1 if kind == _INT32 else 0
            x = (x ^ 0 - sign) + sign
            y = x >> 2 & 0x3FFFFFFF
            e = 158
            if not y >> 28:
                y = x & 0x3FFFFFFF
                e = 156
            elif x & 3:
                # Past 30 bits two of them go; the last one kept stands for them.
                y = y | 1
            if y:
                store_rounded(arena, dst + (done << 4), sign, e, y)
            else:
                p_dst[done] = 0
        else:
            if kind == _INT16:
                x = (ptr16(p_a)[done] ^ 0x8000) - 0x8000
            else:
                x = ptr8(p_a)[done]
                if kind == _INT8:
                    x = (x ^ 0x80) - 0x80
            x = x - zero_point
            sign = x >> 31 & 1
            x = (x ^ 0 - sign) + sign
            if x:
                e = 149
                if not x >> 12:
                    x = x << 12
                    e = 137
                while not x >> 23:
                    x = x << 1
                    e -= 1
                p_dst[done] = sign << 31 | (e << 23) + x
            else:
                p_dst[done] = 0
        done += 1


# dst = a cut to an integer, as C's cast on x86: out of int32's range, and for a NaN, it is -2**31;
# narrower types keep the low bits of the int32, uint32 keeps those of an int64.
@micropython.viper
def to_int(arena, rom, dst: int, a: int, n: int, kind: int):
    base = int(ptr8(arena))
    p_dst = base + (dst >> 2)
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    done = 0
    while done < n:
        x = p_a[done]
        sign = 0 - (x >> 31 & 1)
        e = 150 - (x >> 23 & 0xFF)
        x = x & 0x7FFFFF | 0x800000
        if e > 23:
            x = 0
        elif e > 0 - 8:
            x = x >> e if e > 0 else x << 0 - e
        elif kind == _UINT32:
            x = x << 0 - e if e > 0 - 32 else 0
        else:
            x = 1
            x = x << 31
        x = (x ^ sign) - sign
        if kind >= _INT32:
            ptr32(p_dst)[done] = x
        elif kind == _INT16:
            ptr16(p_dst)[done] = x
        else:
            ptr8(p_dst)[done] = x
        done += 1
