# tflm: AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_divide import div
from ..float32_select import clamp
from .gen.pooling_float_asm import pool

_OUTPUT = const(2)
_DIVISOR = const(3)
_CHANNELS = const(7)
_ACTIVATION_MIN = const(16)

_SCALAR = const(1 | 1 << 10)


# Units are pixels. The machine code divides by powers of two only, and otherwise ends after the
# sums of a pixel.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    channels = r[_CHANNELS]
    while start < stop:
        start = int(pool(op, arena, rom, start, stop))
        if start < stop:
            dst = r[_OUTPUT] + (start * channels << 4)
            div(arena, rom, dst, dst, r[_DIVISOR], channels, _SCALAR)
            clamp(arena, op, dst, channels, _ACTIVATION_MIN << 4 | 1)
            start += 1
