# tflm: CONV_2D, int16 with weights of int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..conv_int16 import pixels
from .gen.int16_windows_asm import windows

_INPUT_CHANNELS = const(8)
_DILATION_WIDTH = const(17)
_FILTER_CHANNELS = const(20)
_BIAS_KIND = const(22)
_INT64 = const(1)  # kind of bias; int32 is less
_MOST = const(1023)  # pixels of a call


# Units are output pixels of batches. The portable kernel computes filters whose cells in a row do
# not touch each other in the image.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    groups = r[_INPUT_CHANNELS] - r[_FILTER_CHANNELS]
    if stop >> 20 or groups or r[_DILATION_WIDTH] != 1 or r[_BIAS_KIND] > _INT64:
        pixels(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        windows(op, arena, rom, start << 10 | count)
        start += count
