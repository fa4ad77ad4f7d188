# tflm: MAX_POOL_2D, float32: for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..pooling_float import outputs
from .gen.float_pooling_asm import maximum

_KIND = const(4)
_MAXIMUM = const(1)  # a kind; the portable kernel computes the others
_MOST = const(1023)  # pixels of a call


# Units are output pixels.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    if stop >> 20 or r[_KIND] != _MAXIMUM:
        outputs(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        maximum(op, arena, rom, start << 10 | count)
        start += count
