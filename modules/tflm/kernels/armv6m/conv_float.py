# tflm: CONV_2D, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..conv_float import outputs
from .gen.float_windows_asm import windows

_INPUT_CHANNELS = const(7)
_DILATION_WIDTH = const(16)
_FILTER_CHANNELS = const(19)
_MOST = const(1023)  # outputs of a call


# Units are outputs. The portable kernel computes outputs with numbers that the assembler leaves,
# and filters whose cells in a row do not touch each other in the image.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    if stop >> 20 or r[_DILATION_WIDTH] != 1 or r[_INPUT_CHANNELS] != r[_FILTER_CHANNELS]:
        outputs(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        done = int(windows(op, arena, rom, start << 10 | count))
        start += done
        if done < count:
            outputs(op, arena, rom, start, start + 1)
            start += 1
