# tflm: CONV_2D, int16, of pairs of pixels: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..conv_int16 import pixels
from .gen.conv_int16_dsp_asm import multiply_pixels

_MOST = const(1020)  # pixels of a call


# Units are output pixels of batches.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    if stop >> 20:
        pixels(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        multiply_pixels(op, arena, rom, start << 10 | count)
        start += count
