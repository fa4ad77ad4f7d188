# tflm: DEPTHWISE_CONV_2D, int16 with weights of int8: for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_int16 import pixels
from .gen.int16_depthwise_asm import depthwise

_INPUT_CHANNELS = const(8)
_OUTPUT_CHANNELS = const(11)


# Units are output pixels of batches. The machine code computes each channel from one input
# channel.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    if r[_INPUT_CHANNELS] != r[_OUTPUT_CHANNELS]:
        pixels(op, arena, rom, start, stop)
    else:
        depthwise(op, arena, rom, start, stop)
