# tflm: AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..pooling_float import outputs
from .pooling_float_asm import pool


# Units are pixels. The machine code divides by powers of two only.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    while start < stop:
        start = int(pool(op, arena, rom, start, stop))
        if start < stop:
            outputs(op, arena, rom, start, start + 1)
            start += 1
