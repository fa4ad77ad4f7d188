# tflm: the example of a new operator, for x86-64: four elements at a time
# MIT license; Copyright (c) 2026 the tflm authors

_INPUT = const(1)
_OUTPUT = const(2)


@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    y = int(arena) + (op[_OUTPUT] >> 2)
    while start + 4 <= stop:
        ptr32(y + start)[0] = ptr32(x + start)[0] ^ -1
        start += 4
    while start < stop:
        ptr8(y)[start] = ptr8(x)[start] ^ 0xFF
        start += 1
