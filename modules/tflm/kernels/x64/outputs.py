# tflm: x86-64: constants of machine code that makes outputs of int8 and int16 from sums
# MIT license; Copyright (c) 2026 the tflm authors

CONSTANTS = 32  # bytes for each channel, for multiples of 8 channels

# How the multiplier and the shift of a channel are stored.
BYTES = const(0)  # a word, and a byte with the shift + 32
WORDS = const(1)  # two words: the multiplier, and the shift + 32
REDUCED = const(2)  # two words: a multiplier of 15 bits, and the shift to the right


# Write the constants of `channels` channels for tools/asm/x64/requantize.py. Returns 0 if numbers
# are too large for these.
#
# TFLM computes v = floor((s * m + 2**30) / 2**31), then v / 2**e with halves away from zero; where
# multipliers are reduced, floor(s * m / 2**e + 1/2). Both are one floor: for v >= 0 the halves of
# two floors add up, and for v < 0 the second one is 2**-e less. The machine code adds o to make
# numbers positive, so that its shift may be logical. Sums of 32 bits must be exact: their largest
# absolute value follows from bias, weights and input.
#
# weights: their address; channels are `pitch` bytes apart, the `count` weights of a channel `step`
# bytes. bias: the address of the first one, or 0; `bias_size` bytes each. multipliers, shifts:
# addresses for the first channel, which serves all if `per_channel` is 0. most: the largest
# absolute input.
@micropython.viper
def fill_outputs(
    out: int,
    channels: int,
    weights: int,
    pitch: int,
    count: int,
    step: int,
    weights_zero_point: int,
    bias: int,
    bias_size: int,
    multipliers: int,
    shifts: int,
    kind: int,
    per_channel: int,
    most: int,
    zero_point: int,
) -> int:
    one = 1
    c = 0
    while c < channels:
        total = 0
        w = ptr8(weights)
        k = count
        while k:
            v = (w[0] ^ 0x80) - 0x80 - weights_zero_point
            if v < 0:
                v = 0 - v
            total += v
            w = ptr8(int(w) + step)
            k -= 1
        start = 0
        if bias:
            start = ptr32(bias)[0]
            if bias_size == 8:
                start = start | ptr32(bias)[1] << 32
            else:
                start = start << 32 >> 32
            bias += bias_size
        bound = start
        if bound < 0:
            bound = 0 - bound
        if bound >> 31:
            return 0
        bound += most * total
        if bound >> 31:
            return 0
        m = ptr32(multipliers)[0]
        h = 0
        if kind == REDUCED:
            shift = ptr32(multipliers)[1]
            half = one << shift - 1
        else:
            e = 32 - (ptr8(shifts)[0] if kind == BYTES else ptr32(multipliers)[1])
            if e < 0:
                return 0
            shift = 31 + e
            half = one << 30
            if e:
                h = one << shift - 1
                half += h
        top = bound * m + half
        if shift > 61 or top + (one << shift - 1) >> 62 or top >> shift >> 30:
            return 0
        o = (top >> shift) + 1
        if h:
            h += o << shift
        d = start * m + half + (o << shift)
        lane = c & 7
        p = out + ((c >> 3) << 8)
        ptr32(p)[lane] = m
        ptr32(p)[8 + lane] = zero_point - o
        q = ptr32(p + 64 + ((lane & 1) << 5) + (lane >> 1 << 3))
        q[0] = d
        q[1] = d >> 32
        q[16] = shift
        q[17] = 0
        q[32] = h
        q[33] = h >> 32
        weights += pitch
        if per_channel:
            multipliers += 4 if kind == BYTES else 8
            shifts += 1
        c += 1
    return 1


# Pack weights of int8 as int16, two taps side by side: word k of all channels follow each other,
# `lanes` of them. Channels are `pitch` bytes apart; the weights of each are `runs` runs of
# `length` taps, `step` bytes apart. A run with an odd length ends with a weight of 0.
@micropython.viper
def pack_taps(
    to: int,
    source: int,
    runs: int,
    length: int,
    lanes: int,
    channels: int,
    pitch: int,
    step: int,
    zero_point: int,
):
    packed_step = 4 * lanes
    while channels:
        p = ptr32(to)
        w = ptr8(source)
        n = runs
        while n:
            k = length
            while k > 0:
                v = (w[0] ^ 0x80) - 0x80 - zero_point & 0xFFFF
                w = ptr8(int(w) + step)
                if k > 1:
                    v = v | (w[0] ^ 0x80) - 0x80 - zero_point << 16
                    w = ptr8(int(w) + step)
                p[0] = v
                p = ptr32(int(p) + packed_step)
                k -= 2
            n -= 1
        to += 4
        source += pitch
        channels -= 1
