# tflm: ABS, NEG, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float

_INPUT = const(1)
_OUTPUT = const(2)
_KEEP = const(3)  # bits that stay
_FLIP = const(4)  # bits that change


# Units are elements.
@micropython.viper
def eval_float32(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    word = op[_INPUT]
    x = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    keep = op[_KEEP]
    flip = op[_FLIP]
    while start < stop:
        y[start] = x[start] & keep ^ flip
        start += 1
