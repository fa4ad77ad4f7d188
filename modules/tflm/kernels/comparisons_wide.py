# tflm: comparisons of int16, int32 and int64
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16 int32 int64; package more; check binary_wide; order elements

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
_ANSWERS = const(13)  # the answers for less, equal and more, from the lowest bit on


# Units are elements. Of int64 the upper words are compared first. If they are equal, the lower
# words are compared, moved by 2**31 so that they compare as signed numbers.
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
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    middle = 0x20000000
    middle = middle << 2
    size = r[_SIZE]
    answers = r[_ANSWERS]
    z = ptr8(base + (r[_OUTPUT] >> 2) + start)
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
            if size == 2:
                v = ptr16(x)[0] ^ 0x8000
                w = ptr16(y)[0] ^ 0x8000
            elif size == 4:
                v = (x[0] << sign) >> sign
                w = (y[0] << sign) >> sign
            else:
                v = (x[1] << sign) >> sign
                w = (y[1] << sign) >> sign
                if v == w:
                    v = (x[0] + middle << sign) >> sign
                    w = (y[0] + middle << sign) >> sign
            outcome = 1
            if v < w:
                outcome = 0
            elif v > w:
                outcome = 2
            z[0] = answers >> outcome & 1
            x = ptr32(int(x) + step1)
            y = ptr32(int(y) + step2)
            z = ptr8(int(z) + 1)
            count -= 1
