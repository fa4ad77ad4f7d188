# tflm: SVDF, int8, with a state of int8 or int16: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..svdf_rows import run_rows
from .gen.matrix_asm import dot
from .gen.recurrent_asm import remember_8, remember_16, rescale


# Units are outputs.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    run_rows(op, arena, rom, start, stop, dot, rescale, remember_8, remember_16)
