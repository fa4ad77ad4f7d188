# tflm: FULLY_CONNECTED, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.fully_connected_float_asm import connect


# Units are outputs.
@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    connect(op, arena, rom, start, stop)
