# tflm: MAXIMUM, MINIMUM, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check binary_wide; units independent; order elements

from .float32_broadcast import expand
from .float32_select import maximum, minimum

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
_FLIP = const(12)  # 1: the smaller one


# Units are elements. If both are equal (0.0 and -0.0) or one is a NaN, the result is input 2.
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
        dst = r[_OUTPUT] + (start << 4)
        steps = 1 | r[_STEP1] << 8 | r[_STEP2] << 18
        if r[_FLIP]:
            minimum(arena, rom, dst, a, b, count, steps)
        else:
            maximum(arena, rom, dst, a, b, count, steps)
        start += count
