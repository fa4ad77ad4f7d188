# tflm: FULLY_CONNECTED, int16 with weights of int8: for Xtensa with MAC16
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_int16 import output_channels
from .gen.int16_windows_asm import connect

_BIAS_KIND = const(9)
_OFFSETS = const(10)
_INT64 = const(1)  # kind of bias
_ZERO_POINTS = const(0xFFFFFF)
_NO_ZERO_POINTS = const(0x808000)


# Units are output channels. The portable kernel subtracts zero points and has sums of int32.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    if r[_OFFSETS] & _ZERO_POINTS != _NO_ZERO_POINTS or r[_BIAS_KIND] != _INT64:
        output_channels(op, arena, rom, start, stop)
    else:
        connect(op, arena, rom, start, stop)
