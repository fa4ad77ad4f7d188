# tflm: DEPTHWISE_CONV_2D, int8, 3x3, with vectors of 16 bytes (prepare/pie.py): on an ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from .. import depthwise_conv_pie as portable
from ..pie_rows import run_rows
from .gen.pie_depthwise_asm import load_row, multiply_row


# Units are rows of the output. The vector unit ignores the lowest bits of addresses, so a model
# that does not begin at a multiple of 16 runs without it.
@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    if int(ptr8(rom)) & 15:
        portable.eval_3x3_int8(op, arena, rom, start, stop)
    else:
        run_rows(op, arena, rom, start, stop, load_row, multiply_row)
