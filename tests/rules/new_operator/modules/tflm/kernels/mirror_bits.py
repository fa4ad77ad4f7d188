# tflm: the example of a new operator: inverts the bits of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check mirror_bits; units independent; order elements

_INPUT = const(1)
_OUTPUT = const(2)


@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2))
    for i in range(start, stop):
        y[i] = x[i] ^ 0xFF
