# tflm: MAXIMUM and MINIMUM: int16, int32, int64
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16 int32 int64; package core; check binary_wide

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


# Units are elements. `flip` is 0x8000, which sorts signed numbers as unsigned ones, or 0x7FFF,
# which sorts them backwards: then the maximum is the minimum.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    flip = r[_FLIP]
    z = ptr16(base + (r[_OUTPUT] >> 2) + 2 * start)
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
        start += count
        while count:
            v = x[0]
            w = y[0]
            if v ^ flip < w ^ flip:
                v = w
            z[0] = v
            x = ptr16(int(x) + step1)
            y = ptr16(int(y) + step2)
            z = ptr16(int(z) + 2)
            count -= 1


# Units are elements. `flip` is 0, or -1 to sort backwards.
@micropython.viper
def eval_int32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    flip = (r[_FLIP] << sign) >> sign
    z = ptr32(base + (r[_OUTPUT] >> 2) + 4 * start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr32(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr32(base + (r[_ROW1] >> 2))
        y = ptr32(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr32(base + (r[_ROW2] >> 2))
        start += count
        while count:
            v = (x[0] << sign) >> sign
            w = (y[0] << sign) >> sign
            if v ^ flip < w ^ flip:
                v = w
            z[0] = v
            x = ptr32(int(x) + step1)
            y = ptr32(int(y) + step2)
            z = ptr32(int(z) + 4)
            count -= 1


# Units are elements. The upper words are compared first. If they are equal, the lower words are
# compared, moved by 2**31 so that they compare as signed numbers. `flip` is 0, or -1 to sort
# backwards.
@micropython.viper
def eval_int64(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    word = r[_INPUT1]
    input1 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    word = r[_INPUT2]
    input2 = (int(ptr8(rom)) if word & 1 else base) + (word >> 2)
    step1 = r[_STEP1]
    step2 = r[_STEP2]
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    flip = (r[_FLIP] << sign) >> sign
    middle = 0x20000000
    middle = middle << 2
    z = ptr32(base + (r[_OUTPUT] >> 2) + 8 * start)
    while start < stop:
        count = stop - start
        if count > r[_BLOCK]:
            count = r[_BLOCK]
        x = ptr32(input1 + start * step1)
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
            x = ptr32(base + (r[_ROW1] >> 2))
        y = ptr32(input2 + start * step2)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
            y = ptr32(base + (r[_ROW2] >> 2))
        start += count
        while count:
            v = (x[1] << sign) >> sign
            w = (y[1] << sign) >> sign
            if v == w:
                v = (x[0] + middle << sign) >> sign
                w = (y[0] + middle << sign) >> sign
            if v ^ flip < w ^ flip:
                z[0] = y[0]
                z[1] = y[1]
            else:
                z[0] = x[0]
                z[1] = x[1]
            x = ptr32(int(x) + step1)
            y = ptr32(int(y) + step2)
            z = ptr32(int(z) + 8)
            count -= 1
