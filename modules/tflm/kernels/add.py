# tflm: ADD and SUB, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check binary; units independent; order elements

from .broadcast import expand
from .requantize import store_int8

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_ROW1 = const(4)
_ROW2 = const(5)
_ACCUMULATORS = const(6)
_STEP1 = const(7)
_STEP2 = const(8)
_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)
_OFFSET1 = const(12)
_OFFSET2 = const(13)
_FACTOR1 = const(14)
_FACTOR2 = const(15)
_MULTIPLIER = const(16)
_SHIFT = const(17)
_OUTPUT_ZERO_POINT = const(18)  # the REQUANTIZE block


# Units are elements. Input 1 is the input with the larger scale. TFLM multiplies it by one half,
# so that it contributes exactly (x1 - zero) * 2**19. Input 2 is rescaled by
#   SaturatingRoundingDoublingHighMul((x2 - zero) << 20, m) = ((x2 - zero) * m + 2**10) >> 11
# with m in 16-bit halves, then divided by a power of two. SUB has a negative factor.
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
    rows = r[_ACCUMULATORS] >> 2
    factor1 = (r[_FACTOR1] << sign) >> sign
    factor2 = (r[_FACTOR2] << sign) >> sign
    offset1 = r[_OFFSET1]
    offset2 = r[_OFFSET2]
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    e = r[_SHIFT]
    high = r[_MULTIPLIER] >> 16
    low = r[_MULTIPLIER] & 0xFFFF
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
        acc = ptr32(base + rows)
        n = count
        while n:
            v = (y[0] ^ 0x80) - offset2
            v = (v * high << 5) + (v * low + 0x400 >> 11)
            if e:
                v = ((v >> 31) + v >> e - 1) + 1 >> 1
            acc[0] = ((x[0] ^ 0x80) - offset1) * factor1 + v * factor2
            x = ptr8(int(x) + step1)
            y = ptr8(int(y) + step2)
            acc = ptr32(int(acc) + 4)
            n -= 1
        store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, (r[_OUTPUT] >> 2) + start, 0, count)
        start += count
