# tflm: FULLY_CONNECTED, float32
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types float32; package core; check convolution_float; units independent; order vectors

from .float32 import combine
from .float32_select import clamp

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_DEPTH = const(5)
_CHANNELS = const(6)
_ACTIVATION_MIN = const(7)  # and the maximum after it

# Operations of float32.combine.
_MAC = const(0)
_ADD = const(2)
_DOT = const(1 << 10 | 1 << 20)
_EACH = const(1 | 1 << 10 | 1 << 20)


# Units are outputs. Sums start at 0.0 and add the products in order, then the bias, as in TFLM:
# the order decides the last bits. The limits of the activation are in the record, which is passed
# as the ROM.
@micropython.viper
def outputs(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    depth = r[_DEPTH]
    channels = r[_CHANNELS]
    weights = r[_WEIGHTS]
    bias = r[_BIAS]
    out = ptr32(int(ptr8(arena)) + (r[_OUTPUT] >> 2))
    first = r[_OUTPUT] + (start << 4)
    clamp_first = first
    total = stop - start
    batch = start // channels
    channel = start - batch * channels
    source = r[_INPUT] + (batch * depth << 4)
    while start < stop:
        # The outputs of one batch.
        count = channels - channel
        if count > stop - start:
            count = stop - start
        n = 0
        while n < count:
            out[start + n] = 0
            row = weights + ((channel + n) * depth << 4)
            combine(arena, rom, first + (n << 4), source, row, depth, _DOT, _MAC)
            n += 1
        if bias != 1:
            combine(arena, rom, first, first, bias + (channel << 4), count, _EACH, _ADD)
        first += count << 4
        start += count
        source += depth << 4
        channel = 0
    clamp(arena, op, clamp_first, total, _ACTIVATION_MIN << 4 | 1)


@micropython.viper
def eval_float32(op, arena, rom, start, stop):
    outputs(op, arena, rom, start, stop)
