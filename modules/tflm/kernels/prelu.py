# tflm: PRELU, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package more; check binary; units independent; order elements

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
_SIZE = const(12)
_OFFSET1 = const(13)
_OFFSET2 = const(14)
_OUTPUT_ZERO_POINT = const(15)
_MULTIPLIER = const(16)
_SHIFT = const(17)
_NEGATIVE_MULTIPLIER = const(18)
_NEGATIVE_SHIFT = const(19)


# Units are elements. Negative differences to the zero point are multiplied by alpha and have their
# own multiplier. TFLM's MultiplyByQuantizedMultiplier as explained in requantize.py; left shifts
# saturate.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    size = r[_SIZE]
    offset1 = r[_OFFSET1]
    offset2 = r[_OFFSET2]
    zero_point = (r[_OUTPUT_ZERO_POINT] << sign) >> sign
    high = 0x7F if size == 1 else 0x7FFF
    limit = 1
    limit = (limit << 31) - 1
    z = base + (r[_OUTPUT] >> 2) + start * size
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = input1 + start * r[_STEP1]
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = base + (r[_ROW1] >> 2)
        y = input2 + start * r[_STEP2]
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = base + (r[_ROW2] >> 2)
        start += count
        while count:
            v = (ptr8(x)[0] ^ 0x80 if size == 1 else ptr16(x)[0] ^ 0x8000) - offset1
            k = _MULTIPLIER
            if v < 0:
                v = v * ((ptr8(y)[0] ^ 0x80) - offset2)
                k = _NEGATIVE_MULTIPLIER
            m = r[k]
            e = (r[k + 1] << sign) >> sign
            if e > 0:
                if v > limit >> e:
                    v = limit
                elif v < 0 - (limit >> e) - 1:
                    v = 0 - limit - 1
                else:
                    v = v << e
                e = 0
            e = 0 - e
            if sign:
                v = (m * v >> 30) + 1 >> 1
            else:
                a = v >> 16
                v = v & 0xFFFF
                b = m & 0xFFFF
                m = m >> 16
                k = v * m
                b = a * b + (v * b >> 16 & 0xFFFF)
                v = ((k & b & 1) + (k >> 1) + (b >> 1) + 0x2000 >> 14) + (a * m << 1)
            if e:
                v = ((v >> 31) + v >> e - 1) + 1 >> 1
            # Clamped before the zero point is added: the sum might not fit a word.
            if v > high - zero_point:
                v = high - zero_point
            if v < 0 - high - 1 - zero_point:
                v = 0 - high - 1 - zero_point
            v = v + zero_point
            if size == 1:
                ptr8(z)[0] = v
            else:
                ptr16(z)[0] = v
            x += r[_STEP1]
            y += r[_STEP2]
            z += size
            count -= 1
