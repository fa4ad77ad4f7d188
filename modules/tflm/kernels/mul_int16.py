# tflm: MUL, int16
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
_OUTPUT_ZERO_POINT = const(12)  # the CLAMP block
_MULTIPLIER = const(15)  # the FIXED_POINT block


# Units are elements; all zero points are 0.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    rows = r[_ACCUMULATORS] >> 2
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr16(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr16(base + (r[_ROW1] >> 2))
        y = ptr16(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr16(base + (r[_ROW2] >> 2))
        acc = ptr32(base + rows)
        n = count
        while n:
            acc[0] = ((x[0] ^ 0x8000) - 0x8000) * ((y[0] ^ 0x8000) - 0x8000)
            x = ptr16(int(x) + step1)
            y = ptr16(int(y) + step2)
            acc = ptr32(int(acc) + 4)
            n -= 1
        rescale(op, arena, _MULTIPLIER, rows, count, 0)
        store(op, arena, _OUTPUT_ZERO_POINT, rows, (r[_OUTPUT] >> 2) + 2 * start, count, 1)
        start += count
