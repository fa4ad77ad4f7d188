# tflm: SQUARE, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float

from .float32 import combine

_INPUT = const(1)
_OUTPUT = const(2)

# Operations of float32.combine.
_MUL = const(1)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    a = r[_INPUT] + (start << 4)
    combine(arena, rom, r[_OUTPUT] + (start << 4), a, a, stop - start, _EACH, _MUL)
