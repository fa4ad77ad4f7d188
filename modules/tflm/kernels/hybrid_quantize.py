# tflm: float32 to int8 with a scale for each batch, computed at run time: for hybrid operators
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check hybrid

from .float32 import sub
from .float32_divide import div
from .float32_select import maximum, minimum
from .quantize import quantize

_INPUT = const(1)
_QUANTIZED = const(2)
_SCALES = const(3)  # a float32 for each batch
_OFFSETS = const(4)  # an int32 for each batch: the zero point
_EXTREMES = const(5)  # scratch: two words
_STEPS = const(6)  # a float32: the number of steps of the range
_DEPTH = const(7)  # elements of a batch
_ASYMMETRIC = const(8)

_INT8 = const(0)
_INT16 = const(2)
_RUNNING = const(1 << 10)  # steps: a advances, dst and b stay
_ONE = const(0x3F800000)


# Units are batches. Symmetric: the largest magnitude becomes 127. Asymmetric: the range including
# zero becomes -128 .. 127. LiteRT multiplies by the scale's reciprocal, adds the zero point in
# float32 and rounds the sum; this kernel divides, rounds the quotient and adds. A value half way
# between two integers may become the other one: each pixel of an image that is scaled to -1 .. 1.
@micropython.viper
def eval_float32(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    extremes = r[_EXTREMES]
    p = ptr32(base + (extremes >> 2))
    depth = r[_DEPTH]
    while start < stop:
        source = r[_INPUT] + (start * depth << 4)
        scale = r[_SCALES] + (start << 4)
        p_scale = ptr32(base + (scale >> 2))
        p[0] = 0
        p[1] = 0
        maximum(arena, rom, extremes, source, extremes, depth, _RUNNING)
        minimum(arena, rom, extremes + 16, source, extremes + 16, depth, _RUNNING)
        if r[_ASYMMETRIC]:
            sub(arena, rom, scale, extremes, extremes + 16, 1, 0)
        else:
            # Bits of floats without their signs are in the order of their magnitudes.
            x = p[0] & magnitude
            y = p[1] & magnitude
            p_scale[0] = x if x > y else y
        div(arena, rom, scale, scale, r[_STEPS], 1, 0)
        if not p_scale[0] & magnitude:
            p_scale[0] = _ONE
        zero_point = 0
        if r[_ASYMMETRIC]:
            # LiteRT computes it from the end of the range with the larger magnitude.
            end = extremes
            zero_point = 0x7F
            if p[0] & magnitude < p[1] & magnitude:
                end += 16
                zero_point = 0 - 0x80
            quantize(arena, rom, extremes, end, 1, scale, 0, _INT16)
            zero_point -= (ptr16(p)[0] ^ 0x8000) - 0x8000
            if zero_point > 0x7F or zero_point < 0 - 0x80:  # of infinity
                zero_point = 0
        ptr32(base + (r[_OFFSETS] >> 2))[start] = zero_point
        target = r[_QUANTIZED] + (start * depth << 2)
        quantize(arena, rom, target, source, depth, scale, zero_point, _INT8)
        start += 1
