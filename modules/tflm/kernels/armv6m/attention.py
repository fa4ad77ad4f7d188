# tflm: attention of a language model over the positions that are filled, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from .gen.attention_asm import run_int8


# Units are heads. The arguments of a call are small integers.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    while start < stop:
        run_int8(op, arena, rom, start << 10 | 1)
        start += 1
