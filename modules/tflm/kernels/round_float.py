# tflm: FLOOR, CEIL, ROUND, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check unary_float

from .float32_round import whole

_INPUT = const(1)
_OUTPUT = const(2)
_DIRECTION = const(3)  # of float32_round.whole


# Units are elements.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    dst = r[_OUTPUT] + (start << 4)
    whole(arena, rom, dst, r[_INPUT] + (start << 4), stop - start, r[_DIRECTION])
