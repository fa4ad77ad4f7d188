# tflm: FULLY_CONNECTED, int8, with weights in lanes (prepare/lanes.py): for Xtensa
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_groups import run_groups
from .gen.lanes_asm import gather, gather_bytes, multiply


# Units are groups of four output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    run_groups(op, arena, rom, start, stop, gather, gather_bytes, multiply)
