# tflm: CONV_2D, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.conv_float_asm import convolve


# Units are outputs.
@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    convolve(op, arena, rom, start, stop)
