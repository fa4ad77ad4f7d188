# tflm: LOGISTIC and TANH, int16
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

_INPUT = const(1)
_ENTRIES = const(2)
_OUTPUT = const(3)
_MULTIPLIER = const(4)
_SHIFT = const(5)
_FRACTION_BITS = const(6)
_SATURATED = const(7)
_POSITIVE_OFFSET = const(8)
_NEGATIVE_OFFSET = const(9)
_OUTPUT_SHIFT = const(10)

_LAST = const(255)  # interval of the table with nothing behind it


# Units are elements. The magnitude is looked up with interpolation, the sign comes in after that:
# both functions are symmetric about their value at 0.
@micropython.viper
def eval_int16(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    word = op[_INPUT]
    x = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2) + (start << 1))
    word = op[_ENTRIES]
    table = ptr16((int(rom) if word & 1 else int(arena)) + (word >> 2))
    y = ptr16(int(arena) + (op[_OUTPUT] >> 2) + (start << 1))
    multiplier = op[_MULTIPLIER]
    shift = op[_SHIFT]
    half = 0
    if shift:
        half = 1
        half = half << shift - 1
    bits = op[_FRACTION_BITS]
    positive = (op[_POSITIVE_OFFSET] << sign) >> sign
    negative = op[_NEGATIVE_OFFSET]
    output_shift = op[_OUTPUT_SHIFT]
    left = stop - start
    while left:
        v = ((x[0] ^ 0x8000) - 0x8000) * multiplier + half >> shift
        magnitude = v if v >= 0 else 0 - v
        i = magnitude >> bits
        if i >= _LAST:
            r = op[_SATURATED]
        else:
            r = table[i]
            r = (r << bits) + (magnitude - (i << bits)) * (table[i + 1] - r)
        if v >= 0:
            r = positive + r
        else:
            r = negative - r
        y[0] = r >> output_shift
        x = ptr16(int(x) + 2)
        y = ptr16(int(y) + 2)
        left -= 1
