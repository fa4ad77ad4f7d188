# tflm: helpers for int32: rescale rows in place, clamp and store them; one product
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the FIXED_POINT block of a record.
_MULTIPLIER = const(0)
_SHIFT = const(1)  # + 32

# Words of the CLAMP block.
_OUTPUT_ZERO_POINT = const(0)
_ACTIVATION_MIN = const(1)
_ACTIVATION_MAX = const(2)


# TFLM's MultiplyByQuantizedMultiplier on `count` int32 at byte offset `values` of the arena.
# `block` is the number of the record's word with the multiplier. If `step` is not 0, each value
# has its own multiplier and shift, `step` words after the previous ones. The arithmetic is
# explained in requantize.py, but a left shift (of a multiplier of 1 or more) wraps around as in
# TFLM.
@micropython.viper
def rescale(op, arena, block: int, values: int, count: int, step: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    p = ptr32(int(ptr8(arena)) + values)
    while count:
        left = q[_SHIFT] - 32
        e = 0
        if left < 0:
            e = 0 - left
            left = 0
        m = q[_MULTIPLIER]
        q = ptr32(int(q) + 4 * step)
        v = (p[0] << left << sign) >> sign
        if sign:
            v = (m * v >> 30) + 1 >> 1
        else:
            mh = m >> 16
            m = m & 0xFFFF
            vh = v >> 16
            v = v & 0xFFFF
            a = v * mh
            b = vh * m + ((v * m >> 16) & 0xFFFF)
            v = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (vh * mh << 1)
        if e:
            v = ((v >> 31) + v >> e - 1) + 1 >> 1
        p[0] = v
        p = ptr32(int(p) + 4)
        count -= 1


# Add the zero point to `count` int32, clamp them to the activation range, and store them as int8,
# or as int16 if `wide` is 1. `values` and `output` are byte offsets in the arena.
@micropython.viper
def store(op, arena, block: int, values: int, output: int, count: int, wide: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    sign = 0x20000000
    sign = sign << 3 >> 27
    zero_point = (q[_OUTPUT_ZERO_POINT] << sign) >> sign
    low = (q[_ACTIVATION_MIN] << sign) >> sign
    high = (q[_ACTIVATION_MAX] << sign) >> sign
    p = ptr32(int(ptr8(arena)) + values)
    y = int(ptr8(arena)) + output
    while count:
        v = ((p[0] << sign) >> sign) + zero_point
        if v < low:
            v = low
        if v > high:
            v = high
        if wide:
            ptr16(y)[0] = v
        else:
            ptr8(y)[0] = v
        y += 1 + wide
        p = ptr32(int(p) + 4)
        count -= 1


# For int32 from byte offset `words` of the arena on: [dst] = [a] * [b], gemmlowp's
# SaturatingRoundingDoublingHighMul as explained in requantize.py.
@micropython.viper
def multiply(arena, words: int, dst: int, a: int, b: int):
    sign = 0x20000000
    sign = sign << 3 >> 27
    p = ptr32(int(ptr8(arena)) + words)
    v = (p[a] << sign) >> sign
    m = (p[b] << sign) >> sign
    vh = v >> 16
    v = v & 0xFFFF
    mh = m >> 16
    m = m & 0xFFFF
    a = v * mh
    b = vh * m + ((v * m >> 16) & 0xFFFF)
    p[dst] = ((a & b & 1) + (a >> 1) + (b >> 1) + 0x2000 >> 14) + (vh * mh << 1)
