# tflm: one output pixel of CONV_2D, or FULLY_CONNECTED: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.dense_asm import dense


# Units are groups of four channels, fewer than 2 ** 14 of them.
@micropython.viper
def eval_bytes(op, arena, rom, start: int, stop: int):
    dense(op, arena, rom, stop << 14 | start)
