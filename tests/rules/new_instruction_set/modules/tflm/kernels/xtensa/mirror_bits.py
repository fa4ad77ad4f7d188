# tflm: the example of a new operator, for LX106: one element at a time
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.mirror_asm import mirror

_INPUT = const(1)
_OUTPUT = const(2)


@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr8((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2))
    while start < stop:
        y[start] = int(mirror(x[start]))
        start += 1
