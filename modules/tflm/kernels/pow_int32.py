# tflm: POW, int32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int32; package core; check binary_wide

from ..errors import InputError
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


# Units are elements. A negative exponent is an error, as in LiteRT.
def eval_int32(op, arena, rom, start, stop):
    if _powers(op, arena, rom, start, stop):
        raise InputError("POW of integers with an exponent below 0; check the second input")


# Return 1 if an exponent is negative. Powers wrap around at 32 bits.
@micropython.viper
def _powers(op, arena, rom, start: int, stop: int) -> int:
    r = ptr32(op)
    base = int(ptr8(arena))
    constants = int(ptr8(rom))
    failed = 0
    z = ptr32(base + (r[_OUTPUT] >> 2) + 4 * start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        word = r[_INPUT1]
        x = ptr32((constants if word & 1 else base) + (word >> 2) + start * r[_STEP1])
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr32(base + (r[_ROW1] >> 2))
        word = r[_INPUT2]
        y = ptr32((constants if word & 1 else base) + (word >> 2) + start * r[_STEP2])
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr32(base + (r[_ROW2] >> 2))
        start += count
        while count:
            factor = x[0]
            left = y[0]
            product = 1
            if left >> 31 & 1:
                failed = 1
                left = 0
            while left:
                if left & 1:
                    product = product * factor
                factor = factor * factor
                left = left >> 1
            z[0] = product
            x = ptr32(int(x) + r[_STEP1])
            y = ptr32(int(y) + r[_STEP2])
            z = ptr32(int(z) + 4)
            count -= 1
    return failed
