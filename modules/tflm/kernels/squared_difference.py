# tflm: SQUARED_DIFFERENCE, int8 and int16
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .broadcast import expand
from .fixed_point import rescale, store_int8, store_int16

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
_SIZE = const(12)
_LEFT_SHIFT = const(13)
_OFFSET1 = const(14)
_OFFSET2 = const(15)
_MULTIPLIER = const(16)  # the FIXED_POINT block of input 2
_OUTPUT_ZERO_POINT = const(18)  # the CLAMP block
_OUTPUT_MULTIPLIER = const(21)  # the FIXED_POINT block of the output


# Units are elements. Input 1 is the one with the larger scale: TFLM's multiplier for it is one
# half. Input 2 is rescaled, then the difference squared and rescaled.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    rows = r[_ACCUMULATORS] >> 2
    size = r[_SIZE]
    left = r[_LEFT_SHIFT]
    offset1 = r[_OFFSET1]
    offset2 = r[_OFFSET2]
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        y = input2 + start * r[_STEP2]
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = base + (r[_ROW2] >> 2)
        acc = ptr32(base + rows)
        n = count
        while n:
            v = ptr8(y)[0] ^ 0x80 if size == 1 else ptr16(y)[0] ^ 0x8000
            acc[0] = v - offset2 << left
            y += r[_STEP2]
            acc = ptr32(int(acc) + 4)
            n -= 1
        rescale(op, arena, _MULTIPLIER, rows, count)
        x = input1 + start * r[_STEP1]
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = base + (r[_ROW1] >> 2)
        acc = ptr32(base + rows)
        n = count
        while n:
            v = ptr8(x)[0] ^ 0x80 if size == 1 else ptr16(x)[0] ^ 0x8000
            v = ((v - offset1 << left) + 1 >> 1) - acc[0]
            acc[0] = v * v
            x += r[_STEP1]
            acc = ptr32(int(acc) + 4)
            n -= 1
        rescale(op, arena, _OUTPUT_MULTIPLIER, rows, count)
        output = (r[_OUTPUT] >> 2) + start * size
        if size == 1:
            store_int8(op, arena, _OUTPUT_ZERO_POINT, rows, output, count)
        else:
            store_int16(op, arena, _OUTPUT_ZERO_POINT, rows, output, count)
        start += count
