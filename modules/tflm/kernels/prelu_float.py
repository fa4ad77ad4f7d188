# tflm: PRELU, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check binary_wide; units independent

from .float32_broadcast import expand
from .float32_select import prelu

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


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        # Steps are 0 or 4 bytes.
        a = r[_INPUT1] + (start * r[_STEP1] << 2)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            a = r[_ROW1]
        b = r[_INPUT2] + (start * r[_STEP2] << 2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            b = r[_ROW2]
        steps = 1 | r[_STEP1] << 8 | r[_STEP2] << 18
        prelu(arena, rom, r[_OUTPUT] + (start << 4), a, b, count, steps)
        start += count
