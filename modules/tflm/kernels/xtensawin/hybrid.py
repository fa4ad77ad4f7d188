# tflm: convolutions and FULLY_CONNECTED, float32 with int8 weights: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..hybrid import outputs
from .gen.hybrid_asm import finish, sums
from .gen.hybrid_depthwise_asm import depthwise

_INPUT_CHANNELS = const(10)
_DILATION_WIDTH = const(19)
_DEPTH = const(22)
_CHANNEL_STEP = const(24)
_CELL_STEP = const(25)


# Units are outputs. The portable kernel computes groups of several input channels, and CONV_2D
# with filters whose cells in a row do not touch each other in the image.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    if depth == r[_INPUT_CHANNELS] and depth == r[_CELL_STEP] and r[_DILATION_WIDTH] == 1:
        sums(op, arena, rom, start, stop)
    elif depth == 1 and r[_CHANNEL_STEP] == 1:
        depthwise(op, arena, rom, start, stop)
    else:
        outputs(op, arena, rom, start, stop)
        return
    finish(op, arena, rom, start, stop)
