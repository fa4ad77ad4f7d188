# tflm: expands a block of an input of float32 to the shape of the output: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.broadcast_asm import run_expand

FUNCTIONS = ("expand",)
portable_expand = None

_START_BITS = const(18)  # of the first element that fits an integer with the other numbers


@micropython.viper
def expand(op, arena, rom, which: int, start: int, count: int):
    if start >> _START_BITS:
        portable_expand(op, arena, rom, which, start, count)
    else:
        run_expand(op, arena, rom, start << 11 | count << 1 | which)
