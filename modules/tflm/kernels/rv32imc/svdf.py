# tflm: SVDF, int8, with a state of int8 or int16: for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.svdf_asm import svdf

_MOST = const(1023)  # outputs of a call


# Units are outputs. The arguments of a call are small integers.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if start >> 20:
            svdf(op, arena, rom, start ^ -1)
            start += 1
        else:
            svdf(op, arena, rom, start << 10 | count)
            start += count
