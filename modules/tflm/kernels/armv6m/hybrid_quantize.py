# tflm: float32 to int8 with a scale for each batch: for Cortex-M0+
# MIT license; Copyright (c) 2026 the tflm authors

from ..hybrid_scale import quantize_batch, set_scale
from .gen.hybrid_quantize_asm import find_scale, quantize


# Units are batches.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    while start < stop:
        if int(find_scale(op, arena, rom, start)):
            quantize(op, arena, rom, start)
        else:
            set_scale(op, arena, rom, start)
            quantize_batch(op, arena, rom, start)
        start += 1
