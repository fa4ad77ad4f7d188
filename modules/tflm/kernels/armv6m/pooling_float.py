# tflm: MAX_POOL_2D and AVERAGE_POOL_2D, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..pooling_float import outputs
from .gen.float_pooling_asm import average, maximum

_KIND = const(4)
_MAXIMUM = const(1)  # kinds
_SQUARES = const(2)
_MOST = const(1023)  # pixels of a call


# Units are output pixels. The portable kernel computes mean squares, and pixels with numbers that
# the assembler leaves.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    if stop >> 20 or r[_KIND] == _SQUARES:
        outputs(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if r[_KIND] == _MAXIMUM:
            done = int(maximum(op, arena, rom, start << 10 | count))
        else:
            done = int(average(op, arena, rom, start << 10 | count))
        start += done
        if done < count:
            outputs(op, arena, rom, start, start + 1)
            start += 1
