# tflm: ADD and SUB, int16: for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..broadcast import expand
from .gen.int16_arithmetic_asm import add_run

_EXPAND1 = const(9)
_EXPAND2 = const(10)
_BLOCK = const(11)
_MOST = const(1023)  # elements of a call


# Units are elements. The arguments of a call are small integers.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    most = _MOST
    if r[_EXPAND1] | r[_EXPAND2]:
        most = r[_BLOCK]  # elements of a row in scratch memory
    while start < stop:
        count = stop - start
        if count > most:
            count = most
        if start >> 20:
            count = 1
        if r[_EXPAND1]:
            expand(op, arena, rom, 0, start, count)
        if r[_EXPAND2]:
            expand(op, arena, rom, 1, start, count)
        add_run(op, arena, rom, start ^ -1 if start >> 20 else start << 10 | count)
        start += count
