# tflm: BITWISE_XOR of integers
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types any; package types; check binary_wide

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
_SIZE = const(12)  # bytes of an element: 1, 2 or 4


# Units are elements.
@micropython.viper
def eval_integers(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    size = r[_SIZE]
    z = base + (r[_OUTPUT] >> 2) + size * start
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = input1 + start * step1
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = base + (r[_ROW1] >> 2)
        y = input2 + start * step2
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = base + (r[_ROW2] >> 2)
        start += count
        while count:
            if size == 4:
                ptr32(z)[0] = ptr32(x)[0] ^ ptr32(y)[0]
            elif size == 2:
                ptr16(z)[0] = ptr16(x)[0] ^ ptr16(y)[0]
            else:
                ptr8(z)[0] = ptr8(x)[0] ^ ptr8(y)[0]
            x += step1
            y += step2
            z += size
            count -= 1
