# tflm: comparisons of int8 and bool, LOGICAL_AND, LOGICAL_OR
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 bool; package more; check binary; order elements

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
_OUTSIDE = const(13)
_TABLE = const(14)  # for each byte of input 1 the lowest and the highest byte of an interval


# Units are elements. The answer is `outside`, or its opposite if the byte of input 2, with `flip`,
# is within the interval of the byte of input 1.
@micropython.viper
def eval_bytes(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    flip = r[_FLIP]
    outside = r[_OUTSIDE]
    intervals = ptr16(int(r) + 4 * _TABLE)
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
            word = intervals[x[0]]
            v = y[0] ^ flip
            answer = outside
            if v >= word & 0xFF and v <= word >> 8:
                answer = outside ^ 1
            z[0] = answer
            x = ptr8(int(x) + step1)
            y = ptr8(int(y) + step2)
            z = ptr8(int(z) + 1)
            count -= 1
