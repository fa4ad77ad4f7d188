# tflm: FULLY_CONNECTED, int8, with weights as halfwords (prepare/dsp.py)
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check dsp; units independent; weights twice; target armv7em

from .dsp import sum_group
from .requantize import store_int8

_INPUT = const(1)
_STREAM = const(2)
_OUTPUT = const(3)
_SCRATCH = const(4)
_DEPTH = const(5)
_DEPTH_WORDS = const(6)
_BATCHES = const(7)
_OUTPUT_CHANNELS = const(8)
_OUTPUT_ZERO_POINT = const(9)  # the REQUANTIZE block
_SUMS = const(0)  # offset in the scratch buffer: four sums, then the inputs of one batch
_TAPS = const(128)


# Units are groups of four output channels.
@micropython.viper
def eval_int8(op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    word = r[_STREAM]
    memory = rom if word & 1 else arena
    quads = r[_DEPTH_WORDS] >> 1
    group_bytes = 52 + 32 * quads
    scratch = r[_SCRATCH] >> 2
    word = r[_INPUT]
    from_ = ptr8((int(ptr8(rom)) if word & 1 else int(ptr8(arena))) + (word >> 2))
    out = r[_OUTPUT] >> 2
    batches = r[_BATCHES]
    while batches:
        to = ptr8(int(ptr8(arena)) + scratch + _TAPS)
        k = 0
        while k < 4 * quads:
            value = 0
            if k < r[_DEPTH]:
                value = from_[k]
            to[k] = value
            k += 1
        group = start
        while group < stop:
            channel = 4 * group
            count = r[_OUTPUT_CHANNELS] - channel
            if count > 4:
                count = 4
            at = (r[_STREAM] >> 2) + group * group_bytes
            sum_group(arena, memory, at, scratch + _TAPS, scratch + _SUMS, quads)
            store_int8(
                op, arena, _OUTPUT_ZERO_POINT, scratch + _SUMS, out + channel, channel, count
            )
            group += 1
        from_ = ptr8(int(from_) + r[_DEPTH])
        out += r[_OUTPUT_CHANNELS]
        batches -= 1
