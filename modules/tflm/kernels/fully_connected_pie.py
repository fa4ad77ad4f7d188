# tflm: FULLY_CONNECTED, int8, with weights as vectors of 16 bytes (prepare/pie.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check pie; target xtensawin

from .pie_channels import run_channels
from .pie_multiply import gather, gather_bytes, multiply


# Units are output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    run_channels(op, arena, rom, start, stop, gather, gather_bytes, multiply)
