# tflm: CONV_2D, int8, with weights as vectors of 16 bytes (prepare/pie.py): on an ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from .. import conv_pie as portable
from ..pie_blocks import run_blocks
from .gen.pie_asm import gather, gather_bytes, multiply

_OUTPUT_WIDTH = const(8)


# Units are rows of the output. The vector unit ignores the lowest bits of addresses, so a model
# that does not begin at a multiple of 16 runs without it.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    if int(ptr8(rom)) & 15:
        portable.eval_int8(op, arena, rom, start, stop)
    else:
        width = int(ptr32(op)[_OUTPUT_WIDTH])
        run_blocks(op, arena, rom, start, stop, 0, width, gather, gather_bytes, multiply)


# Units are pixels of the only row.
@micropython.viper
def eval_pixels_int8(op, arena, rom, start: int, stop: int):
    if int(ptr8(rom)) & 15:
        portable.eval_pixels_int8(op, arena, rom, start, stop)
    else:
        run_blocks(op, arena, rom, 0, 1, start, stop, gather, gather_bytes, multiply)
