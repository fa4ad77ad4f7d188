# tflm: AVERAGE_POOL_2D and MAX_POOL_2D, int8: for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.pooling_asm import average_1, average_4, maximum_1, maximum_4

_INPUT = const(1)
_MAXIMUM = const(3)
_CHANNELS = const(6)


# Units are output rows of all batches. Only cells inside the input count. Four channels are
# computed at once if their number and the address of the input are multiples of 4.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    words = r[_CHANNELS] | r[_INPUT] >> 2
    if r[_MAXIMUM]:
        run = maximum_1 if words & 3 else maximum_4
    else:
        run = average_1 if words & 3 else average_4
    while start < stop:
        run(op, arena, rom, start)
        start += 1
