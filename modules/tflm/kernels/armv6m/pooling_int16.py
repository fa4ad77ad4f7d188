# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int16: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.int16_pooling_asm import pool

_MOST = const(1023)  # rows of a call


# Units are output rows of all batches. The arguments of a call are small integers.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        if start >> 20:
            pool(op, arena, rom, start ^ -1)
            start += 1
        else:
            pool(op, arena, rom, start << 10 | count)
            start += count
