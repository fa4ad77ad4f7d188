# tflm: FULLY_CONNECTED, int8, with weights for MAC16 (prepare/mac16.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check lanes; units independent by 4; weights twice;
#   target xtensawin

from .fully_connected_groups import run_groups
from .lanes import gather, gather_bytes
from .mac16_multiply import multiply


# Units are groups of four output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    run_groups(op, arena, rom, start, stop, gather, gather_bytes, multiply)
