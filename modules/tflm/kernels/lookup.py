# tflm: int8 to int8 or int16 by a table of 256 entries: LOGISTIC, RELU, QUANTIZE and others
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16 bool; package core; check unary; units independent; order elements

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)


# Units are elements; entry i of the table is for the input byte i.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2) + start)
    word = op[_ENTRIES]
    table = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start)
    left = stop - start
    while left >= 4:
        y[0] = table[x[0]]
        y[1] = table[x[1]]
        y[2] = table[x[2]]
        y[3] = table[x[3]]
        x = ptr8(int(x) + 4)
        y = ptr8(int(y) + 4)
        left -= 4
    while left:
        y[0] = table[x[0]]
        x = ptr8(int(x) + 1)
        y = ptr8(int(y) + 1)
        left -= 1


# Units are elements; the table has an int16 for each input byte.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2) + start)
    word = op[_ENTRIES]
    table = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + 2 * start)
    left = stop - start
    while left:
        y[0] = table[x[0]]
        x = ptr8(int(x) + 1)
        y = ptr16(int(y) + 2)
        left -= 1
