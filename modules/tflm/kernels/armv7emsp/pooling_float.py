# tflm: AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.pooling_float_asm import pool

_OUTPUT = const(2)
_CHANNELS = const(7)


# Units are pixels. The assembler takes at most four arguments, so the word of the first output
# passes `stop`.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))[start * r[_CHANNELS]] = stop
    pool(op, arena, rom, start)
