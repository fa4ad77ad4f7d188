# tflm: DIV, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check binary

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
_OFFSET1 = const(12)
_OFFSET2 = const(13)
_OUTPUT_ZERO_POINT = const(14)
_ACTIVATION_MIN = const(15)
_ACTIVATION_MAX = const(16)
_MULTIPLIER = const(17)
_SHIFT = const(18)
_RECIPROCALS = const(19)  # the table of 128 .. 255


# Units are elements. The numerator, shifted up to 31 bits, is multiplied by the reciprocal of the
# denominator, then by the multiplier; each product is rounded. Finally the sum of all shifts is
# reverted, rounded again. Results that TFLM leaves undefined are defined: a shift past 31 bits
# gives 0; a number divided by zero gives the lowest or highest number, and zero divided by zero
# gives zero.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    offset1 = r[_OFFSET1]
    offset2 = r[_OFFSET2]
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    zero_point = (r[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = ((r[_ACTIVATION_MIN] << sign) >> sign) - zero_point
    high = ((r[_ACTIVATION_MAX] << sign) >> sign) - zero_point
    shift = (r[_SHIFT] << sign) >> sign
    z = ptr8(base + (r[_OUTPUT] >> 2) + start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr8(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr8(base + (r[_ROW1] >> 2))
        y = ptr8(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr8(base + (r[_ROW2] >> 2))
        start += count
        while count:
            v = (x[0] ^ 0x80) - offset1
            d = (y[0] ^ 0x80) - offset2
            if d < 0:
                v = 0 - v
                d = 0 - d
            if not d:
                v = v << 20
            elif v:
                # The sum of all shifts: of the denominator, the numerator and the multiplier.
                e = 7 - shift
                while not d >> 7:
                    d = d << 1
                    e -= 1
                v = v << 22
                e += 22
                k = v >> 31
                while (v >> 30 ^ k) & 1 == 0:
                    v = v << 1
                    e += 1
                m = r[_RECIPROCALS - 128 + d]
                k = 2
                while k:
                    a = v >> 16
                    b = v & 0xFFFF
                    c = m & 0xFFFF
                    m = m >> 16
                    d = b * m
                    b = a * c + (b * c >> 16 & 0xFFFF)
                    v = ((d & b & 1) + (d >> 1) + (b >> 1) + 0x2000 >> 14) + (a * m << 1)
                    m = r[_MULTIPLIER]
                    k -= 1
                if e > 31:
                    v = 0
                elif e > 0:
                    v = ((v >> 31) + v >> e - 1) + 1 >> 1
            if v < low:
                v = low
            if v > high:
                v = high
            z[0] = v + zero_point
            x = ptr8(int(x) + step1)
            y = ptr8(int(y) + step2)
            z = ptr8(int(z) + 1)
            count -= 1
