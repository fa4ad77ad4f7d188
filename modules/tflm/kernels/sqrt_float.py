# tflm: SQRT, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32 int16; package core; check unary_float

from .float32_sqrt import sqrt

_INPUT = const(1)
_OUTPUT = const(2)


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sqrt(arena, rom, r[_OUTPUT] + (start << 4), r[_INPUT] + (start << 4), stop - start)
