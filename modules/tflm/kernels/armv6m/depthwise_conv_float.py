# tflm: DEPTHWISE_CONV_2D, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_conv_float import outputs
from .gen.float_depthwise_asm import depthwise

_INPUT_CHANNELS = const(7)
_OUTPUT_CHANNELS = const(10)
_MOST = const(1023)  # pixels of a call


# Units are output pixels. The portable kernel computes pixels with numbers that the assembler
# leaves.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    multiplier = r[_OUTPUT_CHANNELS] // r[_INPUT_CHANNELS]
    if stop >> 20 or multiplier * r[_INPUT_CHANNELS] != r[_OUTPUT_CHANNELS]:
        outputs(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        done = int(depthwise(op, arena, rom, start << 10 | count))
        start += done
        if done < count:
            outputs(op, arena, rom, start, start + 1)
            start += 1
