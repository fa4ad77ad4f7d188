# tflm: x86-64: float32 to int8 with a scale for each batch
# MIT license; Copyright (c) 2026 the tflm authors

from ..hybrid_scale import set_scale
from .gen.quantize_asm import extremes, quantize

_INPUT = const(1)
_QUANTIZED = const(2)
_OFFSETS = const(4)
_EXTREMES = const(5)
_DEPTH = const(7)

_PRODUCT = const(3)  # a kind of quantize(): int8, with products in place of quotients


# Units are batches.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    offsets = ptr32(int(ptr8(arena)) + (r[_OFFSETS] >> 2))
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        extremes(arena, rom, r[_EXTREMES], source, depth)
        set_scale(op, arena, rom, start)
        target = r[_QUANTIZED] + (start * depth << 2)
        quantize(arena, rom, target, source, depth, r[_EXTREMES], offsets[start], _PRODUCT)
        start += 1
