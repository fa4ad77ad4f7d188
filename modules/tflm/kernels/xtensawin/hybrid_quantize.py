# tflm: float32 to int8 with a scale for each batch: for Xtensa with an FPU
# MIT license; Copyright (c) 2026 the tflm authors

from ..float32_divide import div
from ..hybrid_scale import set_scale
from .gen.hybrid_quantize_asm import find_scale, quantize

_SCALES = const(3)
_EXTREMES = const(5)

_ONE = const(0x3F800000)


# Units are batches.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_EXTREMES]
    p = ptr32(int(ptr8(arena)) + (word >> 2))
    while start < stop:
        if not int(find_scale(op, arena, rom, start)):
            set_scale(op, arena, rom, start)
        p[0] = _ONE
        div(arena, rom, word + 16, word, r[_SCALES] + (start << 4), 1, 0)
        quantize(op, arena, rom, start)
        start += 1
