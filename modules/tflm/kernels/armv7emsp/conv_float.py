# tflm: CONV_2D, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.conv_float_asm import convolve

_OUTPUT = const(4)


# Units are outputs. The assembler takes at most four arguments, so the word of the first output
# passes `stop`.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    ptr32(int(ptr8(arena)) + (ptr32(op)[_OUTPUT] >> 2))[start] = stop
    convolve(op, arena, rom, start)
