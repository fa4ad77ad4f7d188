# tflm: ADD and SUB, int16
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
_OFFSET1 = const(12)
_OFFSET2 = const(13)
_FACTOR1 = const(14)
_FACTOR2 = const(15)
_MULTIPLIER = const(16)  # the FIXED_POINT block of input 2
_OUTPUT_ZERO_POINT = const(18)  # the CLAMP block
_OUTPUT_MULTIPLIER = const(21)  # the FIXED_POINT block of the output


# Units are elements. Input 1 is the input with the larger scale. TFLM multiplies it by one half,
# so that it contributes exactly (x1 - zero) * 2**14. Input 2 is shifted left by 15 and rescaled,
# then their sum is rescaled; requantize.py explains the arithmetic. Both multipliers are below 1.
# SUB has a negative factor.
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
    factor1 = (r[_FACTOR1] << sign) >> sign
    factor2 = (r[_FACTOR2] << sign) >> sign
    offset1 = r[_OFFSET1] - 0x8000
    offset2 = r[_OFFSET2] - 0x8000
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    m = r[_MULTIPLIER]
    m_low = m & 0xFFFF
    m_high = m >> 16
    shift = 31 - r[_MULTIPLIER + 1]  # right shifts without their last step; -1: no shift
    n = r[_OUTPUT_MULTIPLIER]
    n_low = n & 0xFFFF
    n_high = n >> 16
    output_shift = 31 - r[_OUTPUT_MULTIPLIER + 1]
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
            v = (y[0] ^ 0x8000) - 0x8000 - offset2 << 15
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
            v = v * factor2 + ((x[0] ^ 0x8000) - 0x8000 - offset1) * factor1
            v = (v << sign) >> sign
            if sign:
                v = (n * v >> 30) + 1 >> 1
            else:
                h = v >> 16
                v = v & 0xFFFF
                a = v * n_high
                b = h * n_low + (v * n_low >> 16 & 0xFFFF)
                v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (h * n_high << 1)
            if output_shift >= 0:
                v = ((v >> 31) + v >> output_shift) + 1 >> 1
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
