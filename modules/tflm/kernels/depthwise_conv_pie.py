# tflm: DEPTHWISE_CONV_2D, int8, 3x3, with weights as vectors of 16 bytes (prepare/pie.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check pie; order rows; target xtensawin

from .pie_plane import load_row, multiply_row
from .pie_rows import run_rows


# Units are rows of the output.
@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    run_rows(op, arena, rom, start, stop, load_row, multiply_row)
