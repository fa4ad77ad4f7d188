# tflm: FULLY_CONNECTED, int8, with the weights of the model: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_rows import run_rows
from .gen.matrix_asm import dot


# Units are output channels.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    run_rows(op, arena, rom, start, stop, dot)
