# tflm: MUL, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package core; check binary; units independent; order elements

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
_OUTPUT_ZERO_POINT = const(12)  # the CLAMP block
_MULTIPLIER = const(15)  # the FIXED_POINT block


# Units are elements; all zero points are 0. requantize.py explains the arithmetic, but here a left
# shift (of a multiplier of 1 or more) wraps around as in TFLM.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    z = ptr16(base + (r[_OUTPUT] >> 2) + 2 * start)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    m = r[_MULTIPLIER]
    m_low = m & 0xFFFF
    m_high = m >> 16
    left = r[_MULTIPLIER + 1] - 32
    shift = 0 - 1  # the right shift without its last step; -1: no shift
    if left < 0:
        shift -= left
        left = 0
    zero_point = (r[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = (r[_OUTPUT_ZERO_POINT + 1] << sign) >> sign
    high = (r[_OUTPUT_ZERO_POINT + 2] << sign) >> sign
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        for which in range(2):
            if r[_EXPAND1 + which]:
                expand(op, arena, rom, which, start, count)
        x = ptr16(base + (r[_ROW1] >> 2) if r[_EXPAND1] else input1 + start * step1)
        y = ptr16(base + (r[_ROW2] >> 2) if r[_EXPAND2] else input2 + start * step2)
        start += count
        while count:
            v = ((x[0] ^ 0x8000) - 0x8000) * ((y[0] ^ 0x8000) - 0x8000)
            v = (v << left << sign) >> sign
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
            v = v + zero_point
            if v < low:
                v = low
            if v > high:
                v = high
            z[0] = v
            x = ptr16(int(x) + step1)
            y = ptr16(int(y) + step2)
            z = ptr16(int(z) + 2)
            count -= 1
