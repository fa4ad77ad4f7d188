# tflm: FULLY_CONNECTED, int16 with weights of int8: for the DSP extension
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_int16 import output_channels
from .gen.int16_windows_asm import windows

_BATCHES = const(7)
_BIAS_KIND = const(9)
_OFFSETS = const(10)
_INT64 = const(1)  # kind of bias; int32 is less
_ZERO_POINTS = const(0xFFFFFF)
_NO_ZERO_POINTS = const(0x808000)


# Units are output channels. The portable kernel subtracts zero points.
@micropython.viper
def eval_int16(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    zero_points = r[_OFFSETS] & _ZERO_POINTS
    if stop >> 15 or zero_points != _NO_ZERO_POINTS or r[_BIAS_KIND] > _INT64:
        output_channels(op, arena, rom, start, stop)
        return
    if start < stop and r[_BATCHES]:
        windows(op, arena, rom, (start << 15 | stop) ^ -1)
