# tflm: LOGISTIC and TANH, int16: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..sigmoid_int16 import curve
from .gen.int16_curves_asm import elements

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)
_MULTIPLIER = const(4)  # the CURVE block
_MOST = const(1023)  # elements of a call


# Units are elements. The arguments of a call are small integers.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if start >> 20:
            source = r[_INPUT] + (start << 3)
            target = (r[_OUTPUT] >> 2) + (start << 1)
            curve(op, arena, rom, _MULTIPLIER, r[_ENTRIES], source, target, count)
        else:
            elements(op, arena, rom, start << 10 | count)
        start += count
