# tflm: FULLY_CONNECTED, int16 with weights of int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int16; package core; check convolution_int16; units independent

from .matrix import multiply, start_sums
from .requantize_int16 import requantize_int16

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_SCRATCH = const(5)
_DEPTH = const(6)
_BATCHES = const(7)
_OUTPUT_CHANNELS = const(8)
_BIAS_KIND = const(9)  # argument of start_sums
_OFFSETS = const(10)  # argument of multiply
_OUTPUT_ZERO_POINT = const(11)  # the REQUANTIZE_INT16 block
_BLOCK = const(64)  # sums that fit the scratch buffer


# Units are output channels.
@micropython.viper
def output_channels(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    scratch = r[_SCRATCH] >> 2
    depth = r[_DEPTH]
    source = r[_INPUT]
    out = r[_OUTPUT] >> 2
    batches = r[_BATCHES]
    while batches:
        channel = start
        while channel < stop:
            count = stop - channel
            if count > _BLOCK:
                count = _BLOCK
            weights = r[_WEIGHTS] + (channel * depth << 2)
            start_sums(arena, rom, scratch, r[_BIAS], channel, count, r[_BIAS_KIND])
            multiply(scratch, weights, arena, rom, source, depth, count, r[_OFFSETS], depth)
            to = out + (channel << 1)
            requantize_int16(op, arena, _OUTPUT_ZERO_POINT, scratch, to, channel, count)
            channel += count
        source += depth << 3
        out += r[_OUTPUT_CHANNELS] << 1
        batches -= 1


@micropython.viper
def eval_int16(op, arena, rom, start, stop):
    output_channels(op, arena, rom, start, stop)
