# tflm: FULLY_CONNECTED, int8
# MIT license; Copyright (c) 2026 the tflm authors

import micropython
from micropython import const

from .requantize import store_int8

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_ACCUMULATORS = const(5)
_DEPTH = const(6)
_BATCHES = const(7)
_INPUT_OFFSET = const(8)
_WEIGHTS_OFFSET = const(9)
_OUTPUT_ZERO_POINT = const(10)  # the REQUANTIZE block
_BLOCK = const(32)  # channels whose accumulators fit the scratch buffer


# Units are output channels. The dot product reads bytes unsigned with the top bit flipped:
#   sum (w' - weights_offset) * (x' - input_offset)
#     = sum w' * (x' - input_offset) - weights_offset * sum (x' - input_offset)
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)  # noqa: F821
    base = int(ptr8(arena))  # noqa: F821
    flash = int(ptr8(rom))  # noqa: F821
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    word = r[_BIAS]
    bias = 0
    if word != 1:
        bias = (flash if word & 1 else base) + (word >> 2)
    depth = r[_DEPTH]
    offset = r[_INPUT_OFFSET]
    acc = ptr32(base + (r[_ACCUMULATORS] >> 2))  # noqa: F821
    out = r[_OUTPUT] >> 2
    batch = 0
    while batch < r[_BATCHES]:
        total = 0
        x = ptr8(source)  # noqa: F821
        n = depth
        while n:
            total += (x[0] ^ 0x80) - offset
            x = ptr8(int(x) + 1)  # noqa: F821
            n -= 1
        total = total * r[_WEIGHTS_OFFSET]
        channel = start
        done = 0
        while channel < stop:
            w = ptr8(weights + channel * depth)  # noqa: F821
            x = ptr8(source)  # noqa: F821
            v = 0 - total
            if bias:
                v += ptr32(bias)[channel]  # noqa: F821
            n = depth
            while n:
                v = (w[0] ^ 0x80) * ((x[0] ^ 0x80) - offset) + v
                w = ptr8(int(w) + 1)  # noqa: F821
                x = ptr8(int(x) + 1)  # noqa: F821
                n -= 1
            acc[done] = v
            done += 1
            channel += 1
            if done == _BLOCK or channel == stop:
                first = channel - done
                store_int8(op, arena, _OUTPUT_ZERO_POINT, r[_ACCUMULATORS] >> 2, out + first, first, done)
                done = 0
        source += depth
        out += r[0]
        batch += 1
