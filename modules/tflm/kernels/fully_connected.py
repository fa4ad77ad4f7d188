# tflm: FULLY_CONNECTED, int8
# MIT license; Copyright (c) 2026 the tflm authors

# Kernel: types int8; package core; check convolution; units independent

from .requantize import store_int8

_INPUT = const(1)
_WEIGHTS = const(2)
_BIAS = const(3)
_OUTPUT = const(4)
_TAPS = const(5)
_ACCUMULATORS = const(6)
_DEPTH = const(7)
_BATCHES = const(8)
_OUTPUT_CHANNELS = const(9)
_INPUT_OFFSET = const(10)
_WEIGHTS_OFFSET = const(11)
_OUTPUT_ZERO_POINT = const(12)  # the REQUANTIZE block
_BLOCK = const(64)  # taps, and accumulators, that fit the scratch buffers


# Units are output channels. Bytes are read unsigned with the top bit flipped (w', x'):
#   sum (w - its zero point) * (x - its zero point)
#     = sum w' * t - weights_offset * sum t   with t = x' - input_offset
# Up to 64 taps t at a time are unpacked to words, which up to 64 channels share, as in conv.py.
@micropython.viper
def eval_int8(op, arena, rom, start, stop):
    channels(0, 0, 0, op, arena, rom, start, stop)


# Compute units start..stop-1. Overrides call this for records that they do not support. `acc`, `x`
# and `w` come first because the first locals are in registers.
@micropython.viper
def channels(acc: int, x: ptr32, w: ptr8, op, arena, rom, start: int, stop: int):
    r = ptr32(op)
    base = int(ptr8(arena))
    flash = int(ptr8(rom))
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
    taps = base + (r[_TAPS] >> 2)
    accumulators = base + (r[_ACCUMULATORS] >> 2)
    out = r[_OUTPUT] >> 2
    batches = r[_BATCHES]
    while batches:
        channel = start
        while channel < stop:
            count = stop - channel
            if count > _BLOCK:
                count = _BLOCK
            values = bias
            if bias:
                values = bias + 4 * channel
            else:
                # Without a bias the sums start at 0.
                x = ptr32(accumulators)
                values = accumulators
                k = count
                while k:
                    x[0] = 0
                    x = ptr32(int(x) + 4)
                    k -= 1
            f = weights + channel * depth
            left = depth
            more = 1
            while more:
                # Unpack up to 64 taps.
                n = left
                if n > _BLOCK:
                    n = _BLOCK
                w = ptr8(source + depth - left)
                left -= n
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
                eights = n >> 3
                fours = n & 4
                ones = n & 3
                m = count
                k = accumulators
                row = f
                while m:
                    acc = ptr32(values)[0] - total
                    x = ptr32(taps)
                    w = ptr8(row)
                    t = eights
                    while t:
                        acc = (w[0] ^ 0x80) * x[0] + acc
                        acc = (w[1] ^ 0x80) * x[1] + acc
                        acc = (w[2] ^ 0x80) * x[2] + acc
                        acc = (w[3] ^ 0x80) * x[3] + acc
                        acc = (w[4] ^ 0x80) * x[4] + acc
                        acc = (w[5] ^ 0x80) * x[5] + acc
                        acc = (w[6] ^ 0x80) * x[6] + acc
                        acc = (w[7] ^ 0x80) * x[7] + acc
                        w = ptr8(int(w) + 8)
                        x = ptr32(int(x) + 32)
                        t -= 1
                    if fours:
                        acc = (w[0] ^ 0x80) * x[0] + acc
                        acc = (w[1] ^ 0x80) * x[1] + acc
                        acc = (w[2] ^ 0x80) * x[2] + acc
                        acc = (w[3] ^ 0x80) * x[3] + acc
                        w = ptr8(int(w) + 4)
                        x = ptr32(int(x) + 16)
                    t = ones
                    while t:
                        acc = (w[0] ^ 0x80) * x[0] + acc
                        w = ptr8(int(w) + 1)
                        x = ptr32(int(x) + 4)
                        t -= 1
                    ptr32(k)[0] = acc
                    values += 4
                    k += 4
                    row += depth
                    m -= 1
                values = accumulators
                f += n
                more = left
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
