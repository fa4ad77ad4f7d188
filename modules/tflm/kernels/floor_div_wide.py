# tflm: FLOOR_DIV, FLOOR_MOD: int8, int16, int32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16 int32; package types; check binary_wide

from ..errors import InputError
from .broadcast import expand

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)
_MODULO = const(12)  # 1 for FLOOR_MOD
_SIZE = const(13)  # bytes of an element


# Units are elements. A divisor of zero is an error, as in LiteRT.
def eval_integers(op, arena, rom, start, stop):
    if _divide(op, arena, rom, start, stop):
        raise InputError("FLOOR_DIV or FLOOR_MOD by zero; check the second input")


# Return 1 if a divisor is zero. The magnitudes that are divided fit 31 bits, except for the lowest
# int32, which fits after the divisor is subtracted once. The lowest number divided by -1 wraps
# around to itself.
@micropython.viper
def _divide(op, arena, rom, start: int, stop: int) -> int:
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    size = r[_SIZE]
    modulo = r[_MODULO]
    limit = 1
    limit = (limit << 31) - 1
    failed = 0
    z = ptr32(base + (r[_OUTPUT] >> 2) + size * start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr32(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr32(base + (r[_ROW1] >> 2))
        y = ptr32(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr32(base + (r[_ROW2] >> 2))
        start += count
        while count:
            if size == 1:
                v = (ptr8(x)[0] ^ 0x80) - 0x80
                d = (ptr8(y)[0] ^ 0x80) - 0x80
            elif size == 2:
                v = (ptr16(x)[0] ^ 0x8000) - 0x8000
                d = (ptr16(y)[0] ^ 0x8000) - 0x8000
            else:
                v = (x[0] << sign) >> sign
                d = (y[0] << sign) >> sign
            negative = (v ^ d) >> 31 & 1
            a = v if v >= 0 else 0 - v
            b = d if d >= 0 else 0 - d
            q = 0
            if not b:
                failed = 1
            elif b >> 31:
                # The divisor is 2**31.
                q = a >> 31 & 1
            elif a >> 31:
                q = (limit - b + 1) // b + 1
            else:
                q = a // b
            rest = a - q * b
            if modulo:
                q = 0 - rest if v < 0 else rest
                if rest and negative:
                    q += d
            elif negative:
                q = 0 - q
                if rest:
                    q -= 1
            if size == 1:
                ptr8(z)[0] = q
            elif size == 2:
                ptr16(z)[0] = q
            else:
                z[0] = q
            x = ptr32(int(x) + step1)
            y = ptr32(int(y) + step2)
            z = ptr32(int(z) + size)
            count -= 1
    return failed
