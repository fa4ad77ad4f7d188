# tflm: int32 accumulators to int8 outputs: TFLM's MultiplyByQuantizedMultiplier, for rows
# MIT license; Copyright (c) 2026 the tflm authors

# Words of the REQUANTIZE block, which ends a record; the table follows it.
_OUTPUT_ZERO_POINT = const(0)
_ACTIVATION_MIN = const(1)
_ACTIVATION_MAX = const(2)
_PER_CHANNEL = const(3)
_CHANNELS = const(4)
_TABLE = const(5)


# Exact for every int32 with 32-bit words (TFLM common.cc, double rounding):
#   high = floor((v * m + 2**30) / 2**31)             SaturatingRoundingDoublingHighMul
#   y = high / 2**e, halves away from zero            RoundingDivideByPOT
# v * m is computed in 16-bit halves; v's own left shift saturates at 30 bits, which exceeds any
# output. `block` is the number of the REQUANTIZE block's first word, `accumulators` and `output`
# are byte offsets in the arena, and `channel` is the channel of the first value; channel 0 follows
# the last channel.
@micropython.viper
def store_int8(op, arena, block: int, accumulators: int, output: int, channel: int, count: int):
    q = ptr32(int(ptr32(op)) + 4 * block)
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    zero_point = (q[_OUTPUT_ZERO_POINT] << sign) >> sign
    # Values are clamped before the zero point is added: the sum might not fit a word.
    low = ((q[_ACTIVATION_MIN] << sign) >> sign) - zero_point
    high = ((q[_ACTIVATION_MAX] << sign) >> sign) - zero_point
    step = q[_PER_CHANNEL]
    channels = q[_CHANNELS]
    table = int(q) + 4 * _TABLE
    acc = ptr32(int(ptr8(arena)) + accumulators)
    y = ptr8(int(ptr8(arena)) + output)
    while count:
        n = count
        if step:
            n = channels - channel
            if n > count:
                n = count
        count -= n
        q = ptr32(table + 4 * channel * step)
        shifts = ptr8(table + 4 * channels + channel * step)
        channel = 0
        while n:
            v = (acc[0] << sign) >> sign
            e = 32 - shifts[0]
            if e < 0:
                e = 0 - e
                limit = 0x3FFFFFFF >> e | 1
                if v > limit:
                    v = limit
                if v < 0 - limit:
                    v = 0 - limit
                v = v << e
                e = 0
            if sign:
                v = (q[0] * v >> 30) + 1 >> 1
            else:
                h = v >> 16
                v = v & 0xFFFF
                b = ptr16(q)[0]
                m = ptr16(q)[1]
                b = h * b + ((v * b >> 16) & 0xFFFF)
                v = v * m
                # floor((v + b + 2**14) / 2**15), whose sum might not fit a word.
                v = ((v & b & 1) + (v >> 1) + (b >> 1) + 0x2000 >> 14) + (h * m << 1)
            if e:
                v = ((v >> 31) + v >> e - 1) + 1 >> 1
            if v < low:
                v = low
            if v > high:
                v = high
            y[0] = v + zero_point
            acc = ptr32(int(acc) + 4)
            y = ptr8(int(y) + 1)
            q = ptr32(int(q) + 4 * step)
            shifts = ptr8(int(shifts) + step)
            n -= 1
