# Integers to float32 and back on bit patterns: CAST's conversions
# MIT license; Copyright (c) 2026 the tflm authors
#
# Operand words are explained in float32.py.

from .float32 import store_rounded

# Types of integer elements.
_INT8 = const(0)
_UINT8 = const(1)
_INT16 = const(2)
_INT32 = const(3)
_UINT32 = const(4)


# dst = float(a) for contiguous elements; int32 and uint32 are rounded to nearest even.
@micropython.viper
def from_int(arena, rom, dst: int, a: int, n: int, kind: int):
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
                # Past 30 bits two bits are dropped; the last one kept stands for them.
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


# dst = a truncated to an integer as in TFLM's CAST: numbers that do not fit the type become its
# lowest or highest value, a NaN becomes 0.
@micropython.viper
def to_int(arena, rom, dst: int, a: int, n: int, kind: int):
    base = int(ptr8(arena))
    p_dst = base + (dst >> 2)
    p_a = ptr32(base + (a >> 2) + (int(ptr8(rom)) - base) * (a & 1))
    limit = 1
    limit = (limit << 31) - 1
    high = limit
    unsigned = 0
    if kind == _INT8:
        high = 0x7F
    elif kind == _UINT8:
        high = 0xFF
        unsigned = 1
    elif kind == _INT16:
        high = 0x7FFF
    elif kind == _UINT32:
        unsigned = 1
    done = 0
    while done < n:
        x = p_a[done]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        if e == 0xFF and x & 0x7FFFFF:
            e = 0
        x = x & 0x7FFFFF | 0x800000
        if e < 127:
            x = 0
        elif e <= 150:
            x = x >> 150 - e
        elif e < 158:
            x = x << e - 150
        elif kind == _UINT32:
            x = x << 8 if e == 158 else -1
        else:
            x = limit
        # In 32-bit words 2**31 is its own negative.
        if kind != _UINT32 and (x > high or x == limit):
            x = high + sign
        if sign:
            x = 0 if unsigned else 0 - x
        if kind >= _INT32:
            ptr32(p_dst)[done] = x
        elif kind == _INT16:
            ptr16(p_dst)[done] = x
        else:
            ptr8(p_dst)[done] = x
        done += 1
