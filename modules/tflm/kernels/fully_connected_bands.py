# tflm: FULLY_CONNECTED, int8, in banded execution
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package cnn; check connected_bands

from .requantize import store_int8

_INPUT = const(1)
_OUTPUT = const(2)
# Words of eval_int8.
_WEIGHTS = const(3)
_BIAS = const(4)
_TAPS = const(5)
_DEPTH = const(6)
_FIRST = const(7)
_COUNT = const(8)
_INPUT_OFFSET = const(9)
_WEIGHTS_OFFSET = const(10)
_BEGINS = const(11)
# Words of eval_end_int8.
_OUTPUT_ZERO_POINT = const(3)  # the REQUANTIZE block

_BLOCK = const(64)  # taps that fit the scratch buffer


# Units are output channels, an int32 each, to which the products of the band's rows are added.
# Sums are computed as in fully_connected.py, over `count` of the `depth` weights of a channel,
# from `first` on.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    begin(op, arena, rom, start, stop)
    add_rows(0, 0, 0, op, arena, rom, start, stop)


# With the first band, set the sums to the bias. Overrides call this, too.
@micropython.viper
def begin(op: ptr32, arena: ptr8, rom: ptr8, start: int, stop: int):
    if not op[_BEGINS]:
        return
    word = op[_BIAS]
    bias = ptr32((int(rom) if word & 1 else int(arena)) + (word >> 2))
    sums = ptr32(int(arena) + (op[_OUTPUT] >> 2))
    while start < stop:
        v = 0
        if word != 1:
            v = bias[start]
        sums[start] = v
        start += 1


# `acc`, `x` and `w` come first because the first locals are in registers.
@micropython.viper
def add_rows(acc: int, x: ptr32, w: ptr8, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    depth = r[_DEPTH]
    weights = (flash if word & 1 else base) + (word >> 2) + start * depth + r[_FIRST]
    sums = base + (r[_OUTPUT] >> 2) + 4 * start
    offset = r[_INPUT_OFFSET]
    taps = base + (r[_TAPS] >> 2)
    left = r[_COUNT]
    while left:
        # Unpack up to 64 taps.
        n = left
        if n > _BLOCK:
            n = _BLOCK
        left -= n
        w = ptr8(source)
        x = ptr32(taps)
        total = 0
        k = n
        while k:
            acc = (w[0] ^ 0x80) - offset
            x[0] = acc
            total += acc
            w = ptr8(int(w) + 1)
            x = ptr32(int(x) + 4)
            k -= 1
        # Multiply the taps by the weights.
        total = total * r[_WEIGHTS_OFFSET]
        fours = n >> 2
        ones = n & 3
        m = stop - start
        k = sums
        row = weights
        while m:
            acc = ptr32(k)[0] - total
            x = ptr32(taps)
            w = ptr8(row)
            t = fours
            while t:
                acc = (w[0] ^ 0x80) * x[0] + acc
                acc = (w[1] ^ 0x80) * x[1] + acc
                acc = (w[2] ^ 0x80) * x[2] + acc
                acc = (w[3] ^ 0x80) * x[3] + acc
                w = ptr8(int(w) + 4)
                x = ptr32(int(x) + 16)
                t -= 1
            t = ones
            while t:
                acc = (w[0] ^ 0x80) * x[0] + acc
                w = ptr8(int(w) + 1)
                x = ptr32(int(x) + 4)
                t -= 1
            ptr32(k)[0] = acc
            k += 4
            row += depth
            m -= 1
        source += n
        weights += n


# Make outputs of the sums of all bands; units are output channels.
@micropython.viper
def eval_end_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    sums = (r[_INPUT] >> 2) + 4 * start
    out = (r[_OUTPUT] >> 2) + start
    store_int8(op, arena, _OUTPUT_ZERO_POINT, sums, out, start, stop - start)
