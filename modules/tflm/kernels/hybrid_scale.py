# tflm: scale and zero point of int8 inputs of hybrid operators, computed at run time
# MIT license; Copyright (c) 2026 the tflm authors

from .float32 import sub
from .float32_divide import div
from .quantize import quantize

# Words of QUANTIZE in prepare/hybrid.py.
_SCALES = const(3)  # a float32 for each batch
_OFFSETS = const(4)  # an int32 for each batch: the zero point
_EXTREMES = const(5)  # scratch: two words
_STEPS = const(6)  # a float32: the number of steps of the range
_ASYMMETRIC = const(8)

_INT16 = const(2)
_ONE = const(0x3F800000)


# Store the scale and the zero point of a batch. `extremes` has its largest input, or 0, and its
# smallest one, or 0; they change. Symmetric: the largest magnitude becomes 127. Asymmetric: the
# range including zero becomes -128 .. 127. LiteRT multiplies by the scale's reciprocal, adds the
# zero point in float32 and rounds the sum; this kernel divides, rounds the quotient and adds. A
# value half way between two integers may become the other one: each pixel of an image that is
# scaled to -1 .. 1.
@micropython.viper
def set_scale(op, arena, rom, batch: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    magnitude = 1
    magnitude = (magnitude << 31) - 1
    extremes = r[_EXTREMES]
    p = ptr32(base + (extremes >> 2))
    scale = r[_SCALES] + (batch << 4)
    p_scale = ptr32(base + (scale >> 2))
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
    ptr32(base + (r[_OFFSETS] >> 2))[batch] = zero_point
