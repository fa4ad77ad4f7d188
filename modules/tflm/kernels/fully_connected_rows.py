# tflm: FULLY_CONNECTED, int8, with the weights of the model: whole rows at a time
# MIT license; Copyright (c) 2026 the tflm authors

from .fully_connected import channels
from .requantize import store_int8

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_ACCUMULATORS = const(6)
_DEPTH = const(7)
_BATCHES = const(8)
_OUTPUT_CHANNELS = const(9)
_INPUT_OFFSET = const(10)
_WEIGHTS_OFFSET = const(11)
_OUTPUT_ZERO_POINT = const(12)  # the REQUANTIZE block

_BLOCK = const(64)  # accumulators that fit the scratch buffer
_SYMMETRIC = const(128)  # weights without a zero point
_MAX_ROW = const(1 << 14)  # elements of a row


# Compute units start..stop-1 of fully_connected.eval_int8 by `dot` (matrix_rows.py of
# tools/asm/kernels).
@micropython.viper
def run_rows(op, arena, rom, start: int, stop: int, dot):
    r = ptr32(op)
    depth = r[_DEPTH]
    if depth == 0 or depth >= _MAX_ROW or r[_WEIGHTS_OFFSET] != _SYMMETRIC:
        channels(0, 0, 0, op, arena, rom, start, stop)
        return
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
    word = r[_INPUT]
    source = (flash if word & 1 else base) + (word >> 2)
    word = r[_WEIGHTS]
    weights = (flash if word & 1 else base) + (word >> 2)
    word = r[_BIAS]
    biases = (flash if word & 1 else base) + (word >> 2)
    sums = base + (r[_ACCUMULATORS] >> 2)
    lengths = depth << 16 | r[_INPUT_OFFSET] + 128
    out = r[_OUTPUT] >> 2
    batches = r[_BATCHES]
    while batches:
        channel = start
        while channel < stop:
            count = stop - channel
            if count > _BLOCK:
                count = _BLOCK
            p = ptr32(sums)
            n = count
            if word == 1:
                while n:
                    p[0] = 0
                    p = ptr32(int(p) + 4)
                    n -= 1
            else:
                b = ptr32(biases + 4 * channel)
                while n:
                    p[0] = b[0]
                    p = ptr32(int(p) + 4)
                    b = ptr32(int(b) + 4)
                    n -= 1
            dot(weights + channel * depth, source, sums, lengths | count << 9)
            store_int8(
                op,
                arena,
                _OUTPUT_ZERO_POINT,
                r[_ACCUMULATORS] >> 2,
                out + channel,
                channel,
                count,
            )
            channel += count
        source += depth
        out += r[_OUTPUT_CHANNELS]
        batches -= 1
