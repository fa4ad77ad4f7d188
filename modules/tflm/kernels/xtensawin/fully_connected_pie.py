# tflm: FULLY_CONNECTED, int8, with weights as vectors of 16 bytes (prepare/pie.py): on an ESP32-S3
# MIT license; Copyright (c) 2026 the tflm authors

from .. import fully_connected_pie as portable
from ..pie_channels import run_channels
from .gen.pie_asm import gather, gather_bytes, multiply


# Units are output channels. The vector unit ignores the lowest bits of addresses, so a model that
# does not begin at a multiple of 16 runs without it.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    if int(ptr8(rom)) & 15:
        portable.eval_int8(op, arena, rom, start, stop)
    else:
        run_channels(op, arena, rom, start, stop, gather, gather_bytes, multiply)
