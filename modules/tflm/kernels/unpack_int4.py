# tflm: int4 weights to int8: two in a byte, the first in the lower half
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8 int16; package core; check decode

_INPUT = const(1)
_OUTPUT = const(2)


# Units are elements.
@micropython.viper
def eval_int4(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    source = int(rom) if word & 1 else int(arena)
    x = ptr8(source + (word >> 2) + (start >> 1))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2) + start)
    count = stop - start
    if start & 1 and count:
        y[0] = ((x[0] >> 4) ^ 8) - 8
        x = ptr8(int(x) + 1)
        y = ptr8(int(y) + 1)
        count -= 1
    while count > 1:
        v = x[0]
        y[0] = (v & 15 ^ 8) - 8
        y[1] = (v >> 4 ^ 8) - 8
        x = ptr8(int(x) + 1)
        y = ptr8(int(y) + 2)
        count -= 2
    if count:
        y[0] = (x[0] & 15 ^ 8) - 8
