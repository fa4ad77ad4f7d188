# tflm: MAXIMUM and MINIMUM, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package more; check binary; units independent; order elements

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
_FLIP = const(12)


# Units are elements. `flip` is 0x80, which sorts signed bytes as unsigned ones, or 0x7F, which
# sorts them backwards: then the maximum is the minimum.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    flip = r[_FLIP]
    z = ptr8(base + (r[_OUTPUT] >> 2) + start)
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
        start += count
        while count:
            v = x[0]
            w = y[0]
            if v ^ flip < w ^ flip:
                v = w
            z[0] = v
            x = ptr8(int(x) + step1)
            y = ptr8(int(y) + step2)
            z = ptr8(int(z) + 1)
            count -= 1
