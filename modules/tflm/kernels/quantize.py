# tflm: QUANTIZE, float32 to int8, uint8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 uint8 int16 float32; package core; check unary; units independent;
#   order elements

_INPUT = const(1)
_SCALE = const(2)
_OUTPUT = const(3)
_TYPE = const(4)
_ZERO_POINT = const(5)

_INT16 = const(2)

_MAX_BITS = const(17)  # of the integer part of a quotient that does not saturate


# Units are elements.
@micropython.viper
def eval_float32(op: ptr32, arena, rom, start: int, stop: int):
    kind = op[_TYPE]
    target = op[_OUTPUT] + (start << 3 if kind == _INT16 else start << 2)
    source = op[_INPUT] + (start << 4)
    quantize(arena, rom, target, source, stop - start, op[_SCALE], op[_ZERO_POINT], kind)


# dst[i] = clamp(round(a[i] / scale) + zero_point) for int8 (kind 0) and int16 (kind 2); uint8
# (kind 1) is int8 with a zero point of 128 less and the top bit flipped. Operand words are
# explained in float32.py; `scale` is one positive, finite value.
#
# TFLM first rounds the quotient to float32, to nearest even, then to an integer, halves away from
# zero. Long division gives q, the integer part, and the remainder. A quotient that float32 rounds
# up to q + 1/2 is at most half a unit in the last place of q below it, which is scale >> 24 - bits
# of q. Results that C leaves undefined are defined: too large numbers saturate, a NaN becomes the
# zero point.
@micropython.viper
def quantize(arena, rom, dst: int, a: int, n: int, scale: int, zero_point: int, kind: int):
    base = int(ptr8(arena))
    gap = int(ptr8(rom)) - base
    p_dst = base + (dst >> 2)
    p_a = ptr32(base + (a >> 2) + gap * (a & 1))
    y = ptr32(base + (scale >> 2) + gap * (scale & 1))[0]
    f = y >> 23
    y = y & 0x7FFFFF
    if f:
        y = y | 0x800000
    else:
        f = 1
        while f > 0 - 22 and not y >> 23:
            y = y << 1
            f -= 1
    # Correct for words of any size.
    zero_point = ((zero_point & 0xFFFF) ^ 0x8000) - 0x8000
    high = 0x7FFF if kind == _INT16 else 0x7F
    flip = kind << 7 & 0x80
    while n:
        x = p_a[0]
        sign = x >> 31 & 1
        e = x >> 23 & 0xFF
        x = x & 0x7FFFFF
        if e == 0xFF:
            x = 0 if x else 0x800000
            e = 0x1FF
        elif e:
            x = x | 0x800000
        else:
            e = 1
            while x and not x >> 23:
                x = x << 1
                e -= 1
        # Now a / scale = x / y * 2**e. Quotients below 1/2 are 0.
        e = e - f
        q = 0
        if e > _MAX_BITS:
            if x:
                q = 1 << _MAX_BITS + 1
        elif e > 0 - 2:
            last = 24
            while e >= 0:
                q = q << 1
                if x >= y:
                    x = x - y
                    q += 1
                if q:
                    last -= 1
                x = x << 1
                e -= 1
            if x + (y >> last) >= y:
                q += 1
        q = (q ^ 0 - sign) + sign + zero_point
        if q > high:
            q = high
        if q < 0 - high - 1:
            q = 0 - high - 1
        if kind == _INT16:
            ptr16(p_dst)[0] = q
            p_dst += 1
        else:
            ptr8(p_dst)[0] = q ^ flip
        p_dst += 1
        p_a = ptr32(int(p_a) + 4)
        n -= 1
