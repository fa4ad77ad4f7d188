# tflm: ADD and SUB, int16
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package core; check binary; units independent; order elements

from .broadcast import expand
from .fixed_point import rescale, store

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
_MULTIPLIER = const(16)  # the FIXED_POINT block of input 2
_OUTPUT_ZERO_POINT = const(18)  # the CLAMP block
_OUTPUT_MULTIPLIER = const(21)  # the FIXED_POINT block of the output


# Units are elements. Input 1 is the input with the larger scale. TFLM multiplies it by one half,
# so that it contributes exactly (x1 - zero) * 2**14. Input 2 is shifted left by 15 and rescaled.
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
    rows = r[_ACCUMULATORS] >> 2
    factor1 = (r[_FACTOR1] << sign) >> sign
    factor2 = (r[_FACTOR2] << sign) >> sign
    offset1 = r[_OFFSET1]
    offset2 = r[_OFFSET2]
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        y = ptr16(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr16(base + (r[_ROW2] >> 2))
        acc = ptr32(base + rows)
        n = count
        while n:
            acc[0] = (y[0] ^ 0x8000) - offset2 << 15
            y = ptr16(int(y) + step2)
            acc = ptr32(int(acc) + 4)
            n -= 1
        rescale(op, arena, _MULTIPLIER, rows, count, 0)
        x = ptr16(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr16(base + (r[_ROW1] >> 2))
        acc = ptr32(base + rows)
        n = count
        while n:
            acc[0] = ((x[0] ^ 0x8000) - offset1) * factor1 + acc[0] * factor2
            x = ptr16(int(x) + step1)
            acc = ptr32(int(acc) + 4)
            n -= 1
        rescale(op, arena, _OUTPUT_MULTIPLIER, rows, count, 0)
        output = (r[_OUTPUT] >> 2) + 2 * start
        store(op, arena, _OUTPUT_ZERO_POINT, rows, output, count, 1)
        start += count
