# tflm: SELECT_V2: copies one input over the other where a condition is true
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package more; check indices

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
_SIZE = const(12)


# Units are elements. Input 1 is the condition; where it is false the output keeps its value.
@micropython.viper
def eval(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    size = r[_SIZE]
    z = base + (r[_OUTPUT] >> 2) + start * size
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr8(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr8(base + (r[_ROW1] >> 2))
        y = input2 + start * step2
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = base + (r[_ROW2] >> 2)
        start += count
        while count:
            if x[0]:
                if size == 1:
                    ptr8(z)[0] = ptr8(y)[0]
                elif size == 2:
                    ptr16(z)[0] = ptr16(y)[0]
                else:
                    ptr32(z)[0] = ptr32(y)[0]
                    if size == 8:
                        ptr32(z)[1] = ptr32(y)[1]
            x = ptr8(int(x) + step1)
            y += step2
            z += size
            count -= 1
