# tflm: LOGISTIC and TANH, int16: for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.int16_curves_asm import elements

_MOST = const(1023)  # elements of a call


# Units are elements. The arguments of a call are small integers.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if start >> 20:
            elements(op, arena, rom, start ^ -1)
            start += 1
        else:
            elements(op, arena, rom, start << 10 | count)
            start += count
