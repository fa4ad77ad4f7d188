# tflm: float32 to int8 with a scale for each batch, computed at run time: for hybrid operators
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check hybrid

from .float32_select import maximum, minimum
from .hybrid_scale import quantize_batch, set_scale

_INPUT = const(1)
_EXTREMES = const(5)
_DEPTH = const(7)

_RUNNING = const(1 << 10)  # steps: a advances, dst and b stay


# Units are batches.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    extremes = r[_EXTREMES]
    p = ptr32(int(ptr8(arena)) + (extremes >> 2))
    depth = r[_DEPTH]
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        p[0] = 0
        p[1] = 0
        maximum(arena, rom, extremes, source, extremes, depth, _RUNNING)
        minimum(arena, rom, extremes + 16, source, extremes + 16, depth, _RUNNING)
        set_scale(op, arena, rom, start)
        quantize_batch(op, arena, rom, start)
        start += 1
