# tflm: MUL, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check binary; units independent; order elements

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
_OUTPUT_ZERO_POINT = const(14)  # the REQUANTIZE block
_ACTIVATION_MIN = const(15)
_ACTIVATION_MAX = const(16)
_TABLE = const(19)


# Units are elements. requantize.py explains the arithmetic.
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
    z = ptr8(base + (r[_OUTPUT] >> 2) + start)
    offset1 = r[_OFFSET1] - 0x80
    offset2 = r[_OFFSET2] - 0x80
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    m = r[_TABLE]
    m_low = m & 0xFFFF
    m_high = m >> 16
    left = (r[_TABLE + 1] & 0xFF) - 32
    shift = 0 - left - 1  # the right shift without its last step
    if left < 0:
        left = 0
    limit = 0x3FFFFFFF >> left | 1
    zero_point = (r[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = ((r[_ACTIVATION_MIN] << sign) >> sign) - zero_point
    high = ((r[_ACTIVATION_MAX] << sign) >> sign) - zero_point
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        for which in range(2):
            if r[_EXPAND1 + which]:
                expand(op, arena, rom, which, start, count)
        x = ptr8(base + (r[_ROW1] >> 2) if r[_EXPAND1] else input1 + start * step1)
        y = ptr8(base + (r[_ROW2] >> 2) if r[_EXPAND2] else input2 + start * step2)
        start += count
        while count:
            v = (x[0] ^ 0x80) - 0x80 - offset1
            v = v * ((y[0] ^ 0x80) - 0x80 - offset2)
            if left:
                if v > limit:
                    v = limit
                if v < 0 - limit:
                    v = 0 - limit
                v = v << left
            if sign:
                v = (m * v >> 30) + 1 >> 1
            else:
                h = v >> 16
                v = v & 0xFFFF
                a = v * m_high
                b = h * m_low + (v * m_low >> 16 & 0xFFFF)
                v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (h * m_high << 1)
            if shift >= 0:
                v = ((v >> 31) + v >> shift) + 1 >> 1
            if v < low:
                v = low
            if v > high:
                v = high
            z[0] = v + zero_point
            x = ptr8(int(x) + step1)
            y = ptr8(int(y) + step2)
            z = ptr8(int(z) + 1)
            count -= 1
