# tflm: DEPTHWISE_CONV_2D, float32: for the FPU of a Cortex-M4, M7 or M33
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_float import outputs
from .depthwise_float_asm import depthwise

_OUTPUT = const(4)
_INPUT_CHANNELS = const(7)
_OUTPUT_CHANNELS = const(10)


# Units are pixels. The assembler computes four channels at a time, each from one input channel. It
# takes at most four arguments, so the word of the first output passes `stop`.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    channels = r[_OUTPUT_CHANNELS]
    if channels < 4 or r[_INPUT_CHANNELS] != channels:
        outputs(op, arena, rom, start, stop)
    else:
        ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))[start * channels] = stop
        depthwise(op, arena, rom, start)
