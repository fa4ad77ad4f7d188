# tflm: pooling, MEAN and SUM of a whole feature map in banded execution, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check pooling

from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
# Words of eval_int8.
_WIDTH = const(3)
_DEPTH = const(4)
_INITIAL = const(5)
_MAXIMUM = const(6)
_BEGINS = const(7)
# Words of the other functions.
_CELLS = const(3)
_ACTIVATION_MIN = const(4)
_ACTIVATION_MAX = const(5)
_OUTPUT_ZERO_POINT = const(3)  # the REQUANTIZE block

_MAX_SUMMED_BYTES = const(256)  # bytes whose sum is below 2**16


# Units are rows of the input. The cells of a row are added to each channel's int32, or update its
# maximum. Bytes are read unsigned with the top bit flipped; the initial value of sums compensates
# for that.
@micropython.viper
def eval_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    channels = op[_DEPTH]
    word = op[_INPUT]
    source = (int(rom) if word & 1 else int(arena)) + (word >> 2)
    source += start * op[_WIDTH] * channels
    sums = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    if op[_BEGINS] and not start:
        k = 0
        while k < channels:
            sums[k] = op[_INITIAL]
            k += 1
    cells = (stop - start) * op[_WIDTH]
    maximum = op[_MAXIMUM]
    if maximum or channels & 3:
        channel = 0
        while channel < channels:
            p = ptr8(source + channel)
            v = sums[0]
            k = cells
            if maximum:
                while k:
                    x = p[0] ^ 0x80
                    if x > v:
                        v = x
                    p = ptr8(int(p) + channels)
                    k -= 1
            else:
                while k:
                    v = (p[0] ^ 0x80) + v
                    p = ptr8(int(p) + channels)
                    k -= 1
            sums[0] = v
            sums = ptr32(int(sums) + 4)
            channel += 1
        return
    # Four channels at a time, two 16-bit sums in a word.
    flip = 0x808080
    flip = flip << 8 | 0x80
    mask = 0xFF00FF
    while cells:
        n = cells
        if n > _MAX_SUMMED_BYTES:
            n = _MAX_SUMMED_BYTES
        channel = 0
        while channel < channels:
            q = ptr32(source + channel)
            even = 0
            odd = 0
            k = n
            while k:
                x = q[0] ^ flip
                even += x & mask
                odd += x >> 8 & mask
                q = ptr32(int(q) + channels)
                k -= 1
            sums[channel] += even & 0xFFFF
            sums[channel + 1] += odd & 0xFFFF
            sums[channel + 2] += even >> 16 & 0xFFFF
            sums[channel + 3] += odd >> 16 & 0xFFFF
            channel += 4
        source += n * channels
        cells -= n


# Make the outputs of AVERAGE_POOL_2D and MAX_POOL_2D; units are channels. The average is rounded
# to nearest, halves away from zero.
@micropython.viper
def eval_average_int8(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    # x64 words have 64 bits and loads are zero-extended: this shift brings the sign back.
    sign = 0x20000000
    sign = sign << 3 >> 27
    low = (op[_ACTIVATION_MIN] << sign) >> sign
    high = (op[_ACTIVATION_MAX] << sign) >> sign
    cells = op[_CELLS]
    sums = ptr32(int(arena) + (op[_INPUT] >> 2))
    y = ptr8(int(arena) + (op[_OUTPUT] >> 2))
    while start < stop:
        v = (sums[start] << sign) >> sign
        if op[_MAXIMUM]:
            v -= 128
        elif v > 0:
            v = (v + (cells >> 1)) // cells
        else:
            v = 0 - ((cells >> 1) - v) // cells
        if v < low:
            v = low
        if v > high:
            v = high
        y[start] = v
        start += 1


# Make the outputs of MEAN and SUM; units are channels.
@micropython.viper
def eval_mean_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sums = (r[_INPUT] >> 2) + 4 * start
    store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, (r[_OUTPUT] >> 2) + start, 0, stop - start)
