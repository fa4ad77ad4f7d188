# tflm: SIN, COS, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float

from .float32_trig import sine

_INPUT = const(1)
_OUTPUT = const(2)
_QUARTERS = const(3)  # of a turn that are added: 0 for SIN, 1 for COS


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    dst = r[_OUTPUT] + (start << 4)
    sine(arena, rom, dst, r[_INPUT] + (start << 4), stop - start, r[_QUARTERS])
