# tflm: DEPTHWISE_CONV_2D, float32: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_float import outputs
from .depthwise_float_asm import depthwise

_INPUT_CHANNELS = const(7)
_OUTPUT_CHANNELS = const(10)


# Units are pixels. The machine code computes four channels at a time, each from one input channel.
@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    channels = int(ptr32(op)[_OUTPUT_CHANNELS])
    if channels < 4 or int(ptr32(op)[_INPUT_CHANNELS]) != channels:
        outputs(op, arena, rom, start, stop)
    else:
        depthwise(op, arena, rom, start, stop)
