# tflm: DEPTHWISE_CONV_2D, int8, with weights in lanes (prepare/depthwise_lanes.py): for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..depthwise_bands import run_bands
from .gen.depthwise_asm import build_plane, rows_3x3, rows_3x3_stride_2, rows_any


# Units are output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    run_bands(op, arena, rom, start, stop, build_plane, rows_any, 0)


# Units are output channels. 3x3 filters with stride 1.
@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    run_bands(op, arena, rom, start, stop, build_plane, rows_3x3, 0)


# Units are output channels. 3x3 filters with a vertical stride of 2.
@micropython.viper
def eval_3x3_stride_2_int8(op, arena, rom, start: int, stop: int):
    run_bands(op, arena, rom, start, stop, build_plane, rows_3x3_stride_2, 0)
