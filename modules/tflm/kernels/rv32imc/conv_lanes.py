# tflm: CONV_2D, int8, with weights in lanes (prepare/lanes.py): for RV32
# MIT license; Copyright (c) 2026 the tflm authors

from ..conv_blocks import run_blocks
from .gen.lanes_asm import gather, gather_bytes, multiply

_OUTPUT_WIDTH = const(8)


# Units are rows of the output.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    width = int(ptr32(op)[_OUTPUT_WIDTH])
    run_blocks(op, arena, rom, start, stop, 0, width, gather, gather_bytes, multiply, 1)


# Units are pixels of the only row.
@micropython.viper
def eval_pixels_int8(op, arena, rom, start: int, stop: int):
    run_blocks(op, arena, rom, 0, 1, start, stop, gather, gather_bytes, multiply, 1)
