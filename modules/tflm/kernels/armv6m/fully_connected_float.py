# tflm: FULLY_CONNECTED, float32: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..fully_connected_float import outputs
from .gen.float_windows_asm import windows

_MOST = const(1023)  # outputs of a call


# Units are outputs. The portable kernel computes outputs with numbers that the assembler leaves.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    if stop >> 20:
        outputs(op, arena, rom, start, stop)
        return
    while start < stop:
        count = stop - start
        if count > _MOST:
            count = _MOST
        done = int(windows(op, arena, rom, (start << 10 | count) ^ -1))
        start += done
        if done < count:
            outputs(op, arena, rom, start, start + 1)
            start += 1
