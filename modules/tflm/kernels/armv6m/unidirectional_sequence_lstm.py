# tflm: UNIDIRECTIONAL_SEQUENCE_LSTM, int8: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..unidirectional_sequence_lstm_rows import run_rows
from .gen.matrix_asm import dot
from .gen.recurrent_asm import gate, products, rescale


# Units are elements of the output.
@micropython.viper
def eval_integers(op, arena, rom, start, stop):
    run_rows(op, arena, rom, start, stop, dot, rescale, gate, products)
