# tflm: fixed-point helpers for int32: rescale rows in place, clamp and store them; one product
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

# Words of the FIXED_POINT block of a record.
_MULTIPLIER = const(0)
_SHIFT = const(1)  # + 32

# Words of the CLAMP block.
_OUTPUT_ZERO_POINT = const(0)
_ACTIVATION_MIN = const(1)
_ACTIVATION_MAX = const(2)


# TFLM's MultiplyByQuantizedMultiplier on `count` int32 at byte offset `values` of the arena;
# `block` is the number of the record's word with the multiplier. The arithmetic is explained
# in kernels/requantize.py, but a left shift (of a multiplier of 1 or more) wraps around as TFLM's.
@micropython.viper
def rescale(op, arena, block, values, count):
    rescale_each(op, arena, block, values, count, 0)


# The same with a multiplier and shift for each of them, `step` words apart.
@micropython.viper
def rescale_each(op, arena, block: int, values: int, count: int, step: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    p = ptr32(int(ptr8(arena)) + values)
    while count:
        left = q[_SHIFT] - 32
        e = 0
        if left < 0:
            e = 0 - left
            left = 0
        m = q[_MULTIPLIER]
        mh = m >> 16
        m = m & 0xFFFF
        q = ptr32(int(q) + 4 * step)
        v = (p[0] << left << sign) >> sign
        vh = v >> 16
        v = v & 0xFFFF
        a = v * mh
        b = vh * m + ((v * m >> 16) & 0xFFFF)
        v = (vh * mh << 1) + (a >> 15) + (b >> 15)
        v = ((a & 0x7FFF) + (b & 0x7FFF) + 0x4000 >> 15) + v
        if e:
            v = (v >> 31) + v
            v = (v >> e) + (v >> e - 1 & 1)
        p[0] = v
        p = ptr32(int(p) + 4)
        count -= 1


# Add the zero point to `count` int32, clamp them to the activation range, store them as int16;
# `values` and `output` are byte offsets in the arena.
@micropython.viper
def store_int16(op, arena, block: int, values: int, output: int, count: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    zero_point = (q[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = (q[_ACTIVATION_MIN] << sign) >> sign
    high = (q[_ACTIVATION_MAX] << sign) >> sign
    p = ptr32(int(ptr8(arena)) + values)
    y = ptr16(int(ptr8(arena)) + output)
    while count:
        v = ((p[0] << sign) >> sign) + zero_point
        if v < low:
            v = low
        if v > high:
            v = high
        y[0] = v
        p = ptr32(int(p) + 4)
        y = ptr16(int(y) + 2)
        count -= 1


# The same for int8.
@micropython.viper
def store_int8(op, arena, block: int, values: int, output: int, count: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    zero_point = (q[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = (q[_ACTIVATION_MIN] << sign) >> sign
    high = (q[_ACTIVATION_MAX] << sign) >> sign
    p = ptr32(int(ptr8(arena)) + values)
    y = ptr8(int(ptr8(arena)) + output)
    while count:
        v = ((p[0] << sign) >> sign) + zero_point
        if v < low:
            v = low
        if v > high:
            v = high
        y[0] = v
        p = ptr32(int(p) + 4)
        y = ptr8(int(y) + 1)
        count -= 1


# Of int32 from byte offset `words` of the arena on: [dst] = [a] * [b], gemmlowp's
# SaturatingRoundingDoublingHighMul as kernels/requantize.py explains it.
@micropython.viper
def multiply(arena, words: int, dst: int, a: int, b: int):
    sign = 0
    probe = 0x20000000
    if probe << 2 > 0:
        sign = 32
    p = ptr32(int(ptr8(arena)) + words)
    v = (p[a] << sign) >> sign
    m = (p[b] << sign) >> sign
    vh = v >> 16
    v = v & 0xFFFF
    mh = m >> 16
    m = m & 0xFFFF
    a = v * mh
    b = vh * m + ((v * m >> 16) & 0xFFFF)
    v = (vh * mh << 1) + (a >> 15) + (b >> 15)
    p[dst] = ((a & 0x7FFF) + (b & 0x7FFF) + 0x4000 >> 15) + v
