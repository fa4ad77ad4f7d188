# tflm: DEPTHWISE_CONV_2D, int8, with weights in lanes (prepare/depthwise_lanes.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check planes; units independent by 4; order planes; weights
#   twice

from .depthwise_bands import run_bands
from .depthwise_plane import build_plane
from .depthwise_rows import rows_3x3, rows_3x3_stride_2, rows_any

_WORD = const(4)  # bytes from one word of weights to the next
_PAIR = const(8)  # bytes if words for even and odd rows alternate


# Units are output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    run_bands(op, arena, rom, start, stop, build_plane, rows_any, _WORD)


# Units are output channels. 3x3 filters with stride 1, for words of 32 bits.
@micropython.viper
def eval_3x3_int8(op, arena, rom, start: int, stop: int):
    rows = rows_3x3
    probe = 0x20000000
    if probe << 2 > 0:
        rows = rows_any
    run_bands(op, arena, rom, start, stop, build_plane, rows, _PAIR)


# Units are output channels. 3x3 filters with a vertical stride of 2, for words of 32 bits.
@micropython.viper
def eval_3x3_stride_2_int8(op, arena, rom, start: int, stop: int):
    rows = rows_3x3_stride_2
    probe = 0x20000000
    if probe << 2 > 0:
        rows = rows_any
    run_bands(op, arena, rom, start, stop, build_plane, rows, _WORD)
