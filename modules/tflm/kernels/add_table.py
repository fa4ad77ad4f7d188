# tflm: ADD and SUB, int8, with a table for one input (prepare/add_table.py)
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .requantize import store_int8

_INPUT1 = const(1)
_INPUT2 = const(2)
_OUTPUT = const(3)
_LOOKUP = const(4)
_SCRATCH = const(5)
_FACTOR = const(6)
_OUTPUT_ZERO_POINT = const(7)  # the REQUANTIZE block
_SUMS = const(64)  # that fit the scratch buffer


# Units are elements.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT1]
    x = ptr8((flash if word & 1 else base) + (word >> 2) + start)
    word = r[_INPUT2]
    y = ptr8((flash if word & 1 else base) + (word >> 2) + start)
    word = r[_LOOKUP]
    lookup = ptr32((flash if word & 1 else base) + (word >> 2))
    factor = r[_FACTOR]
    sums = r[_SCRATCH] >> 2
    while start < stop:
        count = stop - start
        if count > _SUMS:
            count = _SUMS
        acc = ptr32(base + sums)
        n = count
        while n:
            acc[0] = ((x[0] ^ 0x80) - 0x80) * factor + lookup[y[0]]
            x = ptr8(int(x) + 1)
            y = ptr8(int(y) + 1)
            acc = ptr32(int(acc) + 4)
            n -= 1
        store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, (r[_OUTPUT] >> 2) + start, 0, count)
        start += count
