# tflm: DEPTHWISE_CONV_2D, int16 with weights of int8: for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_int16 import pixels
from .gen.int16_depthwise_asm import depthwise

_FILTER_HEIGHT = const(12)
_FILTER_WIDTH = const(13)
_MAX_CELLS = const(511)  # the sum of their products fits a word
_MOST = const(1023)  # pixels of a call


# Units are output pixels of batches. The portable kernel computes larger filters.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    height = r[_FILTER_HEIGHT]
    width = r[_FILTER_WIDTH]
    if stop >> 20 or height > _MAX_CELLS or width > _MAX_CELLS or height * width > _MAX_CELLS:
        pixels(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        depthwise(op, arena, rom, start << 10 | count)
        start += count
